import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";
import * as oauthApi from "@/app/api/oauth/[[...path]]/route";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { sessions } from "@/db/schema";
import { issueSecret } from "@/lib/auth/one-time-secret/commands";
import { definitionOf, optionKeys } from "@/lib/option/registry";
import { fromElsewhere, setOptions } from "./account-harness";
import { call, createPerson, type Person, setUpApi, type Table } from "./harness";

// Scripts written for the seed's API know nothing of a confirmation of identity.
const api = setUpApi();
let count = 0;

type Call = { table: Table; line: string; body?: () => Promise<object>; as: () => Promise<Person> };

const root = async () => api.root;
const fresh = async (role = 1) => createPerson(api.database, `s${++count}`, role);
const newPassword = async () => ({ id: (await fresh()).id, password: "another-one" });

const calls: [string, Call][] = [
  ["GET /api/user/token", { table: userApi, line: "GET /api/user/token", as: fresh }],
  [
    "PUT /api/user/self",
    { table: userApi, line: "PUT /api/user/self", as: fresh, body: async () => ({ password: "another-one" }) },
  ],
  ["DELETE /api/user/self", { table: userApi, line: "DELETE /api/user/self", as: fresh }],
  [
    "a promotion",
    {
      table: userApi,
      line: "POST /api/user/manage",
      as: root,
      body: async () => ({ id: (await fresh()).id, action: "promote" }),
    },
  ],
  ["another's password", { table: userApi, line: "PUT /api/user/", as: root, body: newPassword }],
  ["an e-mail address", { table: oauthApi, line: "GET /api/oauth/email/bind?email=E&code=ABC123", as: fresh }],
  [
    "a delicate option",
    { table: optionApi, line: "PUT /api/option/", as: root, body: async () => ({ key: "SMTPServer", value: "" }) },
  ],
];

beforeEach(() => setOptions(api.database, { StepUpForApi: true }));

const page = { origin: "http://weir.example", host: "weir.example" };

/** Sends the call with a session that is older than ten minutes, or with the access token. */
async function send({ table, line, body, as }: Call, by: "cookie" | "token", headers: Record<string, string> = {}) {
  const person = await as();
  await api.database.db.update(sessions).set({ confirmedAt: 1 }).where(eq(sessions.userId, person.id));
  const email = `m${++count}@x.example`;
  const secret = { kind: "email-code" as const, subject: email, secret: "ABC123", lifetimeSeconds: 60 };
  if (line.includes("email=E")) await issueSecret(api.database.db, secret);
  const given = body ? { body: await body() } : {};
  const sent = { as: person, by, headers: { ...fromElsewhere(), ...headers }, ...given };
  return (await call(table, line.replace("email=E", `email=${email}`), sent)).json;
}

describe.each(calls)("%s", (_name, one) => {
  test("an access token is proof enough", async () => {
    expect(await send(one, "token")).toMatchObject({ success: true });
  });

  test("an old session needs a confirmation, and with StepUpForApi off only where a browser speaks", async () => {
    expect(await send(one, "cookie")).toMatchObject({ success: false, code: "step_up_required" });
    await setOptions(api.database, { StepUpForApi: false });
    for (const browser of [page, { ...page, "sec-fetch-site": "same-origin" }])
      expect(await send(one, "cookie", browser)).toMatchObject({ success: false, code: "step_up_required" });
    expect(await send(one, "cookie")).toMatchObject({ success: true });
  });
});

test("StepUpForApi itself can be turned off by an access token, or with the password along", async () => {
  expect(definitionOf("StepUpForApi").delicate).toBe(true);
  expect(optionKeys()).toContain("StepUpForApi");
  const change = {
    table: optionApi,
    line: "PUT /api/option/",
    as: root,
    body: async () => ({ key: "StepUpForApi", value: "false" }),
  };
  expect(await send(change, "cookie")).toMatchObject({ code: "step_up_required" });
  expect(await send(change, "cookie", { "x-confirm-password": api.root.password })).toMatchObject({ success: true });
});
