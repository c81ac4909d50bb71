// npm install openid-client
import * as client from "openid-client";

const issuer = new URL("http://localhost:3000");
const config = await client.discovery(issuer, "1001", process.env.CLIENT_SECRET, undefined, {
  execute: [client.allowInsecureRequests], // only for http on this machine
});
const device = await client.initiateDeviceAuthorization(config, { scope: "openid profile" });
console.log(`Open ${device.verification_uri} and type ${device.user_code}`);

const tokens = await client.pollDeviceAuthorizationGrant(config, device);
const user = await client.fetchUserInfo(config, tokens.access_token, tokens.claims().sub);
console.log(JSON.stringify(user));
