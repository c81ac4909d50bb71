// Names and addresses that client ID metadata documents choose.

import { expect, test } from "bun:test";
import { ok } from "../world/api.ts";
import { applierOf } from "../world/apply.ts";
import { Comer, newInstallation, set } from "../world/site.ts";

test("a document's name finds its application neither in a body nor in a file of `bun run apply`, and its Id does", async () => {
  const client_name = `Payroll ${crypto.randomUUID()}`;
  await using here = await newInstallation();
  await set(here, "On");
  const url = here.site.publish({ client_name });
  // One anonymous request.
  expect((await new Comer(here, url).open()).heading).toBe("Sign in");
  const { Id } = (await ok(here.admin.get(`/Application?Name=${encodeURIComponent(client_name)}`))).Items[0];
  const upsert = await here.admin.patch("/Application", { Name: client_name, Description: "Pays" });
  expect([upsert.status, String(upsert.body.Errors)]).toEqual([409, expect.stringContaining(`Id ${Id},`)]);
  const ApplicationId = { FieldType: "Name", Value: client_name };
  const reference = await here.admin.patch("/Application", { Name: "Part", ApplicationId });
  expect([reference.status, String(reference.body.Errors)]).toEqual([400, expect.stringContaining(`Id ${Id} `)]);
  const member = (by: object) =>
    JSON.stringify({ Role: [{ Name: "pays", Members: [{ Type: "Application", ...by }] }] });
  const { apply } = applierOf(here.admin);
  const { code, err } = await apply(member({ Name: client_name }));
  expect([code, err]).toEqual([2, expect.stringContaining(`has the Id ${Id}, and registered itself`)]);
  expect((await ok(here.admin.get("/Role?Name=pays"))).Items).toEqual([]);
  expect(await apply(member({ Id }))).toMatchObject({ code: 0, err: "" });
});

const NAME = "Spelled";

test("a client returns to an address as its document spells it", async () => {
  await using here = await newInstallation();
  await set(here, "On");
  const spelled = ["https://App.Example:443/callback", "HTTPS://app.example/callback"];
  const url = here.site.publish({ client_name: NAME, redirect_uris: spelled });
  for (const redirect_uri of spelled) {
    const comer = new Comer(here, url);
    const code = await comer.code({ redirect_uri });
    expect((await comer.redeem(code, { redirect_uri })).status).toBe(200);
  }
  const { Id } = (await ok(here.admin.get(`/Application?Name=${encodeURIComponent(NAME)}`))).Items[0];
  const credentials = await ok(here.admin.get(`/Application/${Id}/Credentials`));
  expect(credentials.RedirectUris).toEqual(spelled);
  expect((await new Comer(here, url).open()).status).toBe(404);
});
