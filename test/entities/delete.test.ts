import { describe, expect, test } from "bun:test";
import { expectError, ok, TOKEN_PATH } from "../world/api.ts";
import { eventsOf, rowsOf } from "../world/rows.ts";
import { newMember, newTenant, request } from "../world/tenant.ts";

describe.concurrent("DELETE", () => {
  test.each(["Application", "Department", "User"])(
    "of a %s returns its last state, as does its event",
    async (entity) => {
      const caller = await newTenant();
      const record = await caller.made(entity, { Name: "gone" });
      const answer = await caller.remove(`/${entity}/${record.Id}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual(record);
      expect((await eventsOf(caller.tenantId)).at(-1)).toEqual({
        type: "Deleted",
        recordId: String(record.Id),
        sequences: [2],
        data: record,
      });
      expectError(await caller.get(`/${entity}/${record.Id}`), 404, "Not Found");
      expectError(await caller.remove(`/${entity}/${record.Id}`), 404, "Not Found");
      expect(await eventsOf(caller.tenantId)).toHaveLength(2);
    },
  );

  test("finds the record as GET does: by another field, in base64, or not at all", async () => {
    const caller = await newTenant();
    await caller.made("User", { Username: "ada@example.com" });
    const value = `base64|${Buffer.from("ada@example.com").toString("base64")}`;
    expect((await caller.remove(`/User/${value}?Name=Username`)).body.Username).toBe("ada@example.com");
    expectError(await caller.remove(`/User/${value}?Name=Username`), 404, "Not Found");
    expectError(await caller.remove("/User/abc"), 400, "Bad Input", /whole number/);
    expectError(await caller.remove("/User/abc?Name=Color"), 400, "Bad Input", /Color/);
  });

  test("of an ambiguous value deletes none", async () => {
    const caller = await newTenant();
    const records = [
      { Name: "a", Description: "same" },
      { Name: "b", Description: "same" },
    ];
    await caller.patch("/Department", records);
    const answer = await caller.remove("/Department/same?Name=Description");
    expectError(answer, 400, "Multible Rows");
    expect((await caller.get("/Department")).body.Items).toHaveLength(2);
  });

  test("of a referenced record is 409 naming the references, until they are gone", async () => {
    const caller = await newTenant();
    const top = await caller.made("Department", { Name: "Top" });
    const sub = await caller.made("Department", { Name: "Sub", ParentId: { Id: top.Id } });
    const users = ["a", "b"].map((Username) => ({ Username, Department: { Id: top.Id } }));
    await caller.patch("/User", users);
    const events = (await eventsOf(caller.tenantId)).length;
    expectError(
      await caller.remove(`/Department/${top.Id}`),
      409,
      "Conflict",
      /still referenced by (2 User \(Department\) and 1 Department \(ParentId\)|1 Department \(ParentId\) and 2 User \(Department\))/,
    );
    expect(await eventsOf(caller.tenantId)).toHaveLength(events);
    await caller.remove(`/Department/${sub.Id}`);
    await caller.patch(
      "/User",
      users.map(({ Username }) => ({ Username, Department: null })),
    );
    expect((await caller.remove(`/Department/${top.Id}`)).status).toBe(200);
  });

  test("of a parent Application is 409, though no answer shows the child's ApplicationId", async () => {
    const caller = await newTenant();
    const parent = await caller.made("Application", { Name: "parent" });
    await caller.made("Application", { Name: "child", ApplicationId: { Id: parent.Id } });
    const answer = await caller.remove(`/Application/${parent.Id}`);
    expectError(answer, 409, "Conflict", /1 Application \(ApplicationId\)/);
  });

  test("of a client deletes its credentials and secrets, and it gets no more tokens", async () => {
    const caller = await newTenant();
    await ok((await newMember(caller, "admin")).remove(`/Application/${caller.clientId}`));
    for (const table of ["credentials", "client_secrets"]) {
      expect(await rowsOf(table, { application_id: caller.clientId })).toEqual([]);
    }
    const form = { grant_type: "client_credentials", client_id: caller.clientId, client_secret: caller.clientSecret };
    const answer = await request("POST", TOKEN_PATH, { body: new URLSearchParams(form) });
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 400, error: "Unauthorized" });
  });

  test("of a User deletes the password", async () => {
    const caller = await newTenant();
    const { body } = await caller.remove("/User/admin?Name=Username");
    expect(await rowsOf("passwords", { user_id: body.Id })).toEqual([]);
  });

  test("of a record's creator leaves its Id and Type there", async () => {
    const caller = await newTenant();
    const maker = await newMember(caller, "editor");
    const record = await ok(maker.patch("/Department", { Name: "kept" }));
    await caller.remove(`/Application/${maker.clientId}`);
    const gone = { Id: Number(maker.clientId), ExternalId: "", Name: "", Type: "Application" };
    expect((await caller.get(`/Department/${record.Id}`)).body).toEqual({
      ...record,
      CreatedBy: gone,
      ModifiedBy: gone,
    });
  });

  test("requires AccessManager:Delete", async () => {
    const weak = await (await newTenant()).withScope("AccessManager:Read AccessManager:Create, Update");
    const answer = await weak.remove("/User/1");
    expectError(answer, 403, "Permission", /AccessManager:Delete/);
  });

  test("of another tenant's record is 404, and the record stays", async () => {
    const [caller, other] = [await newTenant(), await newTenant()];
    for (const entity of ["Application", "Department", "User"]) {
      const { Id } = await other.made(entity, { Name: "theirs" });
      expectError(await caller.remove(`/${entity}/${Id}`), 404, "Not Found");
      expect((await other.get(`/${entity}/${Id}`)).status).toBe(200);
    }
  });

  test("by concurrent callers deletes once", async () => {
    const caller = await newTenant();
    const { Id } = await caller.made("Department", { Name: "gone" });
    const answers = await Promise.all(Array.from({ length: 10 }, () => caller.remove(`/Department/${Id}`)));
    expect(answers.map((answer) => answer.status).sort()).toEqual([200, ...Array(9).fill(404)]);
    expect((await eventsOf(caller.tenantId)).map(({ type }) => type)).toEqual(["Created", "Deleted"]);
  });

  test("concurrent with new references never ends in a 500 or a dangling reference", async () => {
    const caller = await newTenant();
    for (let round = 0; round < 5; round++) {
      const { Id } = await caller.made("Department", { Name: `round ${round}` });
      const users = Array.from({ length: 6 }, (_, index) => ({ Username: `${round}-${index}`, Department: { Id } }));
      const [removed, ...pointed] = await Promise.all([
        caller.remove(`/Department/${Id}`),
        ...users.map((user) => caller.patch("/User", user)),
      ]);
      const accepted = pointed.filter((answer) => answer.status === 200);
      for (const answer of pointed) expect([200, 400]).toContain(answer.status);
      if (removed!.status === 200) expect(accepted).toHaveLength(0);
      else expect({ status: removed!.status, pointed: accepted.length > 0 }).toEqual({ status: 409, pointed: true });
    }
  });
});
