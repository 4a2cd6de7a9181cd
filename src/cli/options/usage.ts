/** The output of `fulgurite --help`. The manual page shows it too. */

/** How the program is called, and the client's options. */
export const USAGE = `Usage:
  fulgurite start [options]                       run the daemon; see fulgurite start --help
  fulgurite solver [options]                      search routes for daemons on other machines; see fulgurite solver --help
  fulgurite network simulated                     simulate a network for several daemons; see fulgurite network --help
  fulgurite fleet status                          show the status of a fleet of daemons; see fulgurite fleet --help
  fulgurite [options] METHOD [ARGUMENTS...]       call a running daemon; see fulgurite help
  fulgurite METHOD --help                         show the parameters and result of a command
  fulgurite store prepare|migrate                 set up a PostgreSQL database; see fulgurite store --help
  fulgurite plugin install|check                  install or test the Core Lightning plugin; see fulgurite plugin --help
  fulgurite simulate SCENARIO                     simulate payments over hidden balances; see fulgurite simulate --help
  fulgurite lnd-macaroon [--onion-messages] [--mission-control] [--invoices] [--forwards]
                                                  print the command that bakes the macaroon for --network lnd
  fulgurite explorer                              open the web page of a daemon
  fulgurite completion bash|zsh|fish              print a script that completes commands

Options:
  --rpc-file PATH, --data-dir DIR                 socket or data directory of the daemon
  -k, --keywords                                  arguments are name=value (default if the first one has a =)
  -o, --order                                     arguments are positional, even if they contain =
  -F, --filter JSON                               select members of the result, as Core Lightning's filter does
  -J, --json; -R, --raw; -H, --human              result as indented JSON; as received; as one value per line
  -N, --notifications LEVEL                       minimum level: trace, debug, info (default), unusual, broken or none
`;
