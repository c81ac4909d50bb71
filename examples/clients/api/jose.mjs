// npm install jose
import { createRemoteJWKSet, jwtVerify } from "jose";

const issuer = "http://localhost:3000";
const audience = "https://api.example.com";
const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));

/** @returns the token's claims @throws if the token is invalid */
async function verify(token) {
  const { payload } = await jwtVerify(token, keys, { issuer, audience, typ: "at+jwt" });
  return payload;
}

console.log(JSON.stringify(await verify(process.env.TOKEN)));
