/** The output of `fulgurite --help`. The manual page shows it too. */

/** How the program is called, and the client's options. */
export const USAGE = `Usage:
  fulgurite start [options]                       run the daemon; see fulgurite start --help
  fulgurite [options] METHOD [ARGUMENTS...]       call a running daemon; see fulgurite help
  fulgurite METHOD --help                         show the parameters and result of a command
  fulgurite explorer                              open the web page of a daemon
  fulgurite simulate SCENARIO                     simulate payments over hidden balances; see fulgurite simulate --help
  fulgurite lnd-macaroon [--onion-messages] [--mission-control] [--invoices] [--forwards]
                                                  print the command that bakes the macaroon for --network lnd
  fulgurite plugin install|check                  install or test the Core Lightning plugin; see fulgurite plugin --help
  fulgurite store prepare|migrate                 set up a PostgreSQL database; see fulgurite store --help
  fulgurite solver [options]                      search routes for other machines; see fulgurite solver --help
  fulgurite fleet status|retire                   list the daemons of a fleet, or retire one; see fulgurite fleet --help
  fulgurite network simulated                     simulate a network for several daemons; see fulgurite network --help
  fulgurite completion bash|zsh|fish              print a script that completes commands

Client options:
  --rpc-file PATH, --data-dir DIR                 socket or data directory of the daemon
  -k, --keywords                                  all arguments are NAME=VALUE (default if the first one has a =);
                                                  without -k, named arguments may follow positional ones
  -o, --order                                     all arguments are positional, even if they contain =
  -F, --filter JSON                               select members of the result, as Core Lightning's filter does
  -J, --json; -R, --raw; -H, --human              result as indented JSON; as received; as one value per line
  -N, --notifications LEVEL                       minimum level: trace, debug, info (default), unusual, broken or none
`;

/** What `fulgurite lnd-macaroon --help` prints. */
export const MACAROON_USAGE = `fulgurite lnd-macaroon [options]
  Prints the lncli command that bakes a macaroon with the minimum permissions for --network lnd. Changes nothing.
  --onion-messages        also permit requesting invoices through LND itself (LND 0.21 or later)
  --mission-control       also permit reading and extending what LND learned from its own payments
  --invoices              also permit issuing and tracking invoices, transfers to LND, rebalancing, and marking LND
                          as part of a purse
  --forwards              also permit reading LND's forwards, to report what channels earn
`;
