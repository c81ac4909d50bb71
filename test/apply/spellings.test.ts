// Names of a file in another spelling than the server's, or than elsewhere in the file.

import { expect, test } from "bun:test";
import { newApplyTenant } from "../world/apply.ts";

const SPELLINGS = ["DORA É", "dora e\u0301", "Ｄora é", "do\u200dra é"];
const CAFE = "Café Ünïon";

test.concurrent("a user is found in every spelling, and --prune keeps it", async () => {
  const { apply, api } = await newApplyTenant();
  const { Id } = await api.made("User", { Username: "dora é" });
  for (const spelling of SPELLINGS) {
    const file = `User:\n  - Username: ${JSON.stringify(spelling)}\n`;
    for (const options of [["--plan"], ["--yes", "--prune"]]) {
      const planned = await apply(`${file}  - Username: admin\n`, options);
      expect([spelling, planned.code, planned.out]).toEqual([spelling, 0, "No changes. 2 as in the file."]);
    }
    const changed = await apply(`${file}    Name: Dora ${JSON.stringify(spelling).length}\n`);
    expect([changed.code, changed.out]).toEqual([0, expect.stringContaining("1 to change")]);
    expect((await api.get(`/User/${Id}`)).body.Username).toBe("dora é");
  }
  expect((await api.get("/User")).body.Items).toHaveLength(2);
});

test.concurrent("a new user is one user in every spelling, and references find it", async () => {
  const { apply } = await newApplyTenant();
  for (const [index, spelling] of SPELLINGS.entries()) {
    const twice = `User:\n  - Username: dora é\n  - Username: ${JSON.stringify(spelling)}\n`;
    const refused = await apply(twice, ["--plan"]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringMatching(/^acme.yaml:3: .* is in line 2 already.$/)]);

    const member = `{ Type: User, Username: ${JSON.stringify(spelling)} }`;
    const file = `Role:\n  - Name: r${index}\n    Members: [${member}]\nUser:\n  - Username: dora é\n`;
    expect(await apply(file)).toMatchObject({ code: 0, err: "" });
    expect((await apply(file, ["--plan"])).out).toStartWith("No changes. 2 as in the file.");
  }
});

test.concurrent("composed and decomposed names are one, in records, references and lists", async () => {
  const { apply, api } = await newApplyTenant();
  const [nfc, nfd] = [CAFE.normalize("NFC"), CAFE.normalize("NFD")];
  const file = `Department:
  - Name: ${nfc}
  - Name: Below
    ParentId: { Name: ${nfd} }
Application:
  - Name: ${nfd}
Api:
  - Name: Orders
    Audience: https://${crypto.randomUUID()}.example.com
    ApplicationId: { Name: ${nfc} }
Role:
  - Name: clerks
    Members: [{ Type: Application, Name: "${nfc}" }]
`;
  expect(await apply(file)).toMatchObject({ code: 0, err: "" });
  expect((await apply(file.replaceAll(nfc, nfd), ["--plan"])).out).toStartWith("No changes. 5 as in the file.");
  const [below] = (await api.get("/Department?Name=Below")).body.Items;
  expect(below.ParentId.Name).toBe(nfc);
  const twice = await apply(`Role:\n  - Name: ${nfc}\n  - Name: ${nfd}\n`);
  expect(twice.err).toContain("is in line 2 already.");
});
