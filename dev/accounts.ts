// A page with the demo tenant's accounts, for developers.

import type { Demo } from "../server/appliance/embedded/demo.ts";
import { refuseForeignHost } from "../server/appliance/embedded/own-host.ts";
import { PASSWORD, PEOPLE } from "./people.ts";

/** Tries these ports in order; 0 is any free port. */
const PORTS = [3100, 0];

/** @returns the page's address */
export function serveAccounts(demo: Demo): string {
  const page = accountsPage(demo);
  for (const port of PORTS) {
    try {
      const headers = { "content-type": "text/html; charset=utf-8", "cache-control": "no-store" };
      return Bun.serve({
        hostname: "127.0.0.1",
        port,
        development: false,
        fetch: (request, server) => refuseForeignHost(request, server.port!) ?? new Response(page, { headers }),
      }).url.href;
    } catch (error) {
      if (port === PORTS.at(-1)) throw error;
    }
  }
  throw new Error("No port is free for the accounts page.");
}

function accountsPage({ publicUrl, temporalUi, admin, client }: Demo): string {
  const people = PEOPLE.map(({ username, name, role = "none" }) => [username, PASSWORD, `${name}, role ${role}`]);
  const accounts = [[admin.username, admin.password, "Administrator, role admin"], ...people];
  const links = [
    [`${publicUrl}/settings?organisation=demo`, "Settings"],
    [`${publicUrl}/account`, "Account"],
    [`${publicUrl}/openapi`, "API reference"],
    [temporalUi, "Temporal UI"],
  ];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Gatehouse: accounts for development</title>
<style>
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
  .wide { overflow-x: auto }
  table { border-collapse: collapse; width: 100% }
  code { overflow-wrap: anywhere }
  th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8886; white-space: nowrap }
</style>
<h1>Accounts for development</h1>
<p>${links.map(([href, text]) => `<a href="${Bun.escapeHTML(href!)}">${text}</a>`).join(" · ")}</p>
<p><code>bun run dev --seed</code> creates the other people.</p>
<div class="wide" tabindex="0" role="region" aria-label="Accounts">
<table>
<thead><tr><th scope="col">User name<th scope="col">Password<th scope="col">Who</thead>
<tbody>
${accounts.map((cells) => `<tr>${cells.map((cell) => `<td>${Bun.escapeHTML(cell)}`).join("")}`).join("\n")}
</tbody>
</table>
</div>
<h2>Client of the API</h2>
<p><code>${Bun.escapeHTML(client.clientId)}</code> with the secret <code>${Bun.escapeHTML(client.clientSecret)}</code></p>
</html>
`;
}
