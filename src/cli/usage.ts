/** What `fulgurite --help` prints. The manual page shows it too. */

/** How the program is called, and the client's options. */
export const USAGE = `Usage:
  fulgurite start [options]                       run the daemon; see fulgurite start --help
  fulgurite solver [options]                      search routes for daemons elsewhere; see fulgurite solver --help
  fulgurite fleet status                          how several machines are doing; see fulgurite fleet --help
  fulgurite [options] METHOD [ARGUMENTS...]       call a running daemon; see fulgurite help
  fulgurite METHOD --help                         what a command takes and answers
  fulgurite store prepare|migrate                 a PostgreSQL database for daemons; see fulgurite store --help
  fulgurite simulate SCENARIO                     play payments over hidden balances; see fulgurite simulate --help
  fulgurite lnd-macaroon                          print how to make the macaroon for --network lnd
  fulgurite explorer                              open the page of a daemon that serves HTTP
  fulgurite completion bash|zsh|fish              print a script that completes commands

Options:
  --rpc-file PATH, --data-dir DIR                 where the daemon is
  -k, --keywords                                  arguments are name=value (else when the first one has a =)
  -o, --order                                     arguments are in order, whatever they look like
  -F, --filter JSON                               the part of the result wanted
  -J, --json; -R, --raw; -H, --human              indented JSON; as received; one value per line
  -N, --notifications LEVEL                       trace, debug, info (default), unusual, broken or none
`;
