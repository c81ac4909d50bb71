// npm install openid-client
import * as client from "openid-client";

const issuer = new URL("http://localhost:3000");
const config = await client.discovery(issuer, "1001", process.env.CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests], // only for http on this machine
});
const { access_token } = await client.clientCredentialsGrant(config, { scope: "AccessManager:Read" });

const response = await fetch("http://localhost:3000/Endpoint/rest/api/v1/Application?Limit=1", {
  headers: { authorization: `Bearer ${access_token}` },
});
console.log(JSON.stringify(await response.json()));
