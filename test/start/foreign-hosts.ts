/** Hosts of foreign pages whose names resolve to this machine, and values that only look like our own. */
export const foreignHosts = (port: string) => [
  ...["evil.example", `evil.example:${port}`, "localhost", "localhost:1", "127.0.0.1.evil.example", "", "[::1"],
  ...[`localhost.evil.example:${port}`, `evil.localhost:${port}`, `127.0.0.2:${port}`, `0.0.0.0:${port}`],
];
