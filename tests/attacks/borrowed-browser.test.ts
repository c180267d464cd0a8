// A thief has a browser that its owner left open, or the session cookie alone (older than ten minutes), of a user or of
// root. Wherever a call would give lasting power or redirect secrets, links, sign-ins or payments, it must be refused
// until the password, a code or a passkey is shown again. Every call that changes something is listed here: a new one
// fails this file until it is classified.
import { beforeAll, describe, expect, test } from "vitest";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as optionApi from "@/app/api/option/[[...path]]/route";
import * as tokenApi from "@/app/api/token/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { seal } from "@/lib/crypto";
import { documentPath } from "@/lib/http/openapi/naming";
import { isSecret } from "@/lib/option/queries";
import { definitionOf, optionKeys } from "@/lib/option/registry";
import { fromElsewhere, setOptions } from "../api/account-harness";
import { call, createPerson, PASSWORD, type Person, setUpApi, type Table } from "../api/harness";

const api = setUpApi();
let count = 0;

let thiefOfRoot: Person;

/** Passkeys need a host name. */
const site = { host: "weir.example" };

beforeAll(async () => {
  thiefOfRoot = await borrowed(100);
  await api.database
    .sql`insert into channels (type, name, models, key_cipher) values (1, 'c', 'm', ${seal("sk-saved")})`;
});

/** An account whose last proof of identity is too old. */
async function borrowed(role = 1): Promise<Person> {
  const person = await createPerson(api.database, `b${++count}`, role);
  await api.database.sql`update sessions set confirmed_at = 1 where user_id = ${person.id}`;
  return person;
}

/** The calls that need a proof. The body is the first that reaches it; the rest of the path is in `line`. */
const GUARDED: Record<string, { line?: string; body?: object; role?: number }> = {
  "PUT /api/user/self": { body: { password: "another-one" } },
  "DELETE /api/user/self": {},
  "GET /api/user/token": {},
  "PUT /api/user": { body: { id: 1, password: "another-one" }, role: 100 },
  "POST /api/user/manage": { body: { id: 3, action: "promote" }, role: 100 },
  "DELETE /api/user/{id}/2fa": { line: "DELETE /api/user/3/2fa", role: 10 },
  "POST /api/user/passkey/register/begin": {},
  "POST /api/user/passkey/register/finish": {
    body: {
      name: "mine",
      response: { id: "a", rawId: "a", type: "public-key", response: { clientDataJSON: "a", attestationObject: "a" } },
    },
  },
  "DELETE /api/user/passkey": { line: "DELETE /api/user/passkey?id=a" },
  "POST /api/user/2fa/setup": {},
  "POST /api/user/2fa/enable": { body: { code: "123456" } },
  "POST /api/user/2fa/disable": {},
  "POST /api/user/2fa/recovery_codes": {},
  // It has a saved key, which would go to the new address.
  "PUT /api/channel": { body: { id: 1, base_url: "https://thief.example" }, role: 100 },
  "PUT /api/option": { body: { key: "EpayKey", value: "k" }, role: 100 },
  "POST /api/token/{id}/key": { line: "POST /api/token/1/key" },
  "POST /api/token/{id}/rotate": { line: "POST /api/token/1/rotate" },
  "GET /api/oauth/email/bind": { line: "GET /api/oauth/email/bind?email=thief@weir.example&code=ABC234" },
  ...Object.fromEntries(
    ["github", "linuxdo", "oidc", "wechat", "telegram"].map((name) => [`DELETE /api/oauth/${name}`, {}]),
  ),
};

/** These ask for the proof only after another service has answered; tests/api/oauth*.test.ts drive them. */
const GUARDED_AFTER_A_SERVICE = [
  ...["github", "linuxdo", "oidc", "wechat/bind", "telegram/bind"].map((name) => `GET /api/oauth/${name}`),
];

/** Calls that change something and need no proof, by the reason. */
const OPEN: Record<string, string[]> = {
  "is itself a sign-in, a proof or a way to lose rights": [
    "POST /api/user/login",
    "POST /api/user/login/2fa",
    "POST /api/user/passkey/login/begin",
    "POST /api/user/passkey/login/finish",
    "POST /api/user/register",
    "POST /api/user/reset",
    "POST /api/user/confirm",
    "POST /api/user/confirm/passkey/begin",
    "POST /api/user/confirm/passkey/finish",
    "DELETE /api/user/session",
    "POST /api/user/session/revoke_others",
    "GET /api/user/logout",
  ],
  "comes from another service, which signs it or knows a secret of the call": [
    "POST /api/stripe/webhook",
    "POST /api/user/epay/notify",
    "GET /api/user/epay/notify",
    "POST /api/user/setting/wxpusher",
  ],
  "spends or arranges what the account has; limits, ledger and audit log name it": [
    "POST /api/token",
    "PUT /api/token",
    "DELETE /api/token/{id}",
    "POST /api/token/batch",
    "PUT /api/user/passkey",
    "PUT /api/user/setting",
    "POST /api/user/notification/read",
    "POST /api/user/notification/announcement",
    "POST /api/user/aff_transfer",
    "GET /api/user/aff",
    "POST /api/user/topup",
    "POST /api/user/amount",
    "POST /api/user/pay",
    "POST /api/user/stripe/amount",
    "POST /api/user/stripe/pay",
    "POST /pg/chat/completions",
    "POST /pg/images/generations",
    "POST /pg/images/edits",
    "POST /pg/audio/speech",
    "POST /pg/audio/transcriptions",
    "POST /pg/embeddings",
  ],
  "is daily work of administrators on accounts below them; ledger and audit log name who did it": [
    "POST /api/user",
    "DELETE /api/user/{id}",
    "POST /api/redemption",
    "PUT /api/redemption",
    "DELETE /api/redemption/{id}",
    "DELETE /api/log",
    "POST /api/option/rest_model_ratio",
  ],
  "is a channel's: its keys are write-only, and who may move them is decided in lib/channel": [
    "POST /api/channel/batch",
    "POST /api/channel/batch/tag",
    "PUT /api/channel/tag",
    "POST /api/channel/tag/enabled",
    "POST /api/channel/tag/disabled",
    "POST /api/channel/fetch_models",
    "POST /api/channel/copy/{id}",
    "POST /api/channel/keys/{id}",
    "PUT /api/channel/keys/{id}",
    "DELETE /api/channel/keys/{id}",
    "DELETE /api/channel/circuits/{id}",
    "DELETE /api/channel/test_run",
    "POST /api/channel",
    "POST /api/channel/fix",
    "DELETE /api/channel/disabled",
    "DELETE /api/channel/{id}",
  ],
};

const routes = routeTables().flatMap(({ base, routes: rows, handler }) =>
  rows.map((row) => ({ line: `${row.method} ${documentPath(base, row.path)}`, row, handler })),
);
const handlers = new Map(routes.map(({ line, handler }) => [line, handler]));

describe("every call that changes something is classified", () => {
  test("a route is guarded, or open for a reason", () => {
    const open = Object.values(OPEN).flat();
    const known = [...Object.keys(GUARDED), ...GUARDED_AFTER_A_SERVICE, ...open];
    const unknown = routes.filter(({ line, row }) => row.method !== "GET" && !known.includes(line));
    expect(unknown.map(({ line }) => line)).toEqual([]);
    expect(known.filter((line) => !handlers.has(line))).toEqual([]);
  });

  test("the definitions and the API document name the same calls as needing a proof", () => {
    const flagged = routes.filter(({ row }) => row.proof).map(({ line }) => line);
    expect(flagged.sort()).toEqual([...Object.keys(GUARDED), ...GUARDED_AFTER_A_SERVICE].sort());
  });

  test("no option that is a secret or names an address is left out", () => {
    const forgotten = optionKeys().filter((key) => {
      const looksDelicate = /Address|Link|Url$|_endpoint|well_known|Secret|Token$|ClientId|Key$/.test(key);
      return (isSecret(key) || looksDelicate) && !definitionOf(key).delicate;
    });
    // A number of sessions; the visitors' network addresses.
    expect(forgotten.sort()).toEqual(["InvitationAddressCheckEnabled", "RealtimeSessionsPerKey"]);
  });
});

describe("a session without a fresh proof is refused", () => {
  test.each(Object.entries(GUARDED))("%s", async (line, { line: path, body, role = 1 }) => {
    const table = { [line.split(" ")[0] ?? ""]: handlers.get(line) } as unknown as Table;
    const thief = await borrowed(role);
    const answer = await call(table, path ?? line, { as: thief, body, headers: { ...site, ...fromElsewhere() } });
    expect(answer.json).toMatchObject({ success: false, code: "step_up_required" });
  });

  test.each(optionKeys().filter((key) => definitionOf(key).delicate))(
    "PUT /api/option/ %s changes nothing",
    async (key) => {
      const before = await api.database.sql`select * from options where key = ${key}`;
      const body = { key, value: "x" };
      const answer = await call(optionApi, "PUT /api/option/", { as: thiefOfRoot, body, headers: fromElsewhere() });
      expect(answer.json.code).toBe("step_up_required");
      expect(await api.database.sql`select * from options where key = ${key}`).toEqual(before);
    },
  );

  test("an option that redirects nothing needs no proof", async () => {
    const body = { key: "RetryTimes", value: "1" };
    expect((await call(optionApi, "PUT /api/option/", { as: await borrowed(100), body })).json.success).toBe(true);
  });

  test("root's own password stays what it is, whichever call is tried", async () => {
    const thief = await borrowed(100);
    const read = () => api.database.sql`select password_hash, access_token_hash from users where id = ${thief.id}`;
    const before = await read();
    await call(userApi, "PUT /api/user/", { as: thief, body: { id: thief.id, password: "another-one" } });
    await call(userApi, "PUT /api/user/self", { as: thief, body: { password: "another-one" } });
    await call(userApi, "GET /api/user/token", { as: thief });
    expect(await read()).toEqual(before);
  });
});

describe("a client without dialogs sends the proof along", () => {
  const along: [string, { headers?: Record<string, string>; fields?: object }][] = [
    ["in a header", { headers: { "x-confirm-password": PASSWORD } }],
    ["in a field", { fields: { confirm_password: PASSWORD } }],
    ["as the old password", { fields: { original_password: PASSWORD } }],
  ];
  test.each(along)("the password %s", async (_name, { headers = {}, fields = {} }) => {
    const as = await borrowed();
    const body = { password: "another-one", ...fields };
    const answer = await call(userApi, "PUT /api/user/self", { as, body, headers });
    expect(answer.json).toMatchObject({ success: true });
  });

  test("a password in any script, sent as UTF-8", async () => {
    const as = await borrowed();
    await call(userApi, "PUT /api/user/self", {
      as,
      body: { password: "密码密码密码密码", original_password: PASSWORD },
    });
    const { accessToken } = as;
    await api.database.sql`
      update users set access_token_hash = encode(sha256(${accessToken}::bytea), 'hex') where id = ${as.id}`;
    const headers = { "x-confirm-password": Buffer.from("密码密码密码密码").toString("latin1") };
    const body = { password: "another-one" };
    expect((await call(userApi, "PUT /api/user/self", { as, by: "token", body, headers })).json.success).toBe(true);
  });

  test("a wrong one is refused and counted like a sign-in, and a refusal says how to prove it", async () => {
    const as = await borrowed();
    const ask = (password: string) =>
      call(userApi, "GET /api/user/token", { as, headers: { "x-confirm-password": password, ...english } });
    const english = { "accept-language": "en" };
    const plain = await call(userApi, "GET /api/user/token", { as, headers: english });
    expect(plain.json.message).toContain("X-Confirm-Password");
    for (let i = 0; i < 10; i++) expect((await ask("no")).json).toMatchObject({ success: false });
    expect((await ask(PASSWORD)).status).toBe(429);
  });
});

describe("a system access token gains nothing by itself", () => {
  test("it sets a delicate option and reveals a key, but takes no password, address or factor", async () => {
    const root = await createPerson(api.database, `b${++count}`, 100);
    const by = "token";
    const body = { key: "TopUpLink", value: "https://weir.example" };
    expect((await call(optionApi, "PUT /api/option/", { as: root, by, body })).json.success).toBe(true);
    await setOptions(api.database, { TopUpLink: "" });
    const token = await call(tokenApi, "POST /api/token/", { as: root, by, body: { name: "a" } });
    const line = `POST /api/token/${token.json.data.id}/key`;
    expect((await call(tokenApi, line, { as: root, by })).json.success).toBe(true);
    for (const path of ["2fa/setup", "passkey/register/begin"]) {
      const refused = await call(userApi, `POST /api/user/${path}`, { as: root, by, headers: site });
      expect(refused.json.code).toBe("step_up_required");
    }
  });

  test("with the password alone it does not get past an authenticator", async () => {
    const as = await createPerson(api.database, `b${++count}`, 1);
    await api.database.sql`
      insert into totp_factors (user_id, secret_cipher, enabled_at) values (${as.id}, 'x', 1)`;
    const headers = { "x-confirm-password": PASSWORD };
    const answer = await call(userApi, "POST /api/user/2fa/disable", { as, by: "token", headers });
    expect(answer.json.code).toBe("step_up_required");
    expect(await api.database.sql`select 1 from totp_factors where user_id = ${as.id}`).toHaveLength(1);
  });
});
