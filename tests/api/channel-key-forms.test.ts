import { beforeEach, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { auditEntries, channels } from "@/db/schema";
import { unseal } from "@/lib/crypto";
import { serviceAccount } from "@/lib/testing/service-account";
import { call, setUpApi } from "./harness";

const api = setUpApi();
const base = { name: "one", models: "m", group: "default", base_url: "https://up.example" };
const admin = async (line: string, body?: unknown) => (await call(channelApi, line, { as: api.admin, body })).json;
const all = () => api.database.db.select().from(channels).orderBy(channels.id);

beforeEach(async () => {
  await api.database.db.delete(channels);
});

const SECRET = "do-not-quote-this-secret";
const forms: [number, string | (() => string), string | (() => string), string][] = [
  [3, "0123456789abcdef", `tenant|${SECRET}`, "tenant|client id|client secret"],
  [3, "tenant|client|secret", `a|b|${SECRET}|d`, "tenant|client id|client secret"],
  [15, "api|secret", SECRET, "APIKey|SecretKey"],
  [18, "app|secret|key", `a|${SECRET}`, "APPID|APISecret|APIKey"],
  [23, "app|id|key", `a|${SECRET}`, "AppId|SecretId|SecretKey"],
  [33, "ak|sk|us-east-1", `ak|${SECRET}|Virginia`, "region"],
  [33, "api-key|eu-west-1", SECRET, "AccessKey|SecretKey|Region"],
  [41, "AIza-key", `{"private_key":"${SECRET}"}`, "project_id, client_email is missing"],
  [41, () => serviceAccount(), () => serviceAccount({ private_key: SECRET }), "private_key"],
];
const text = (given: string | (() => string)) => (typeof given === "string" ? given : given());

test.each(forms)(
  "a key of type %i that cannot work is refused with the reason, and nothing changes: case %#",
  async (type, good, bad, reason) => {
    const given = { ...base, type, other: type === 41 ? "us-central1" : "" };
    const refused = await admin("POST /api/channel/", { ...given, key: text(bad) });
    expect(refused).toMatchObject({ success: false, message: expect.stringContaining(reason) });
    expect(JSON.stringify(refused)).not.toContain(SECRET);
    expect(await all()).toEqual([]);

    expect(await admin("POST /api/channel/", { ...given, key: text(good) })).toMatchObject({ success: true });
    const [made] = await all();
    const before = await api.database.db.$count(auditEntries);
    expect(await admin("PUT /api/channel/", { id: made?.id, key: text(bad) })).toMatchObject({ success: false });
    const [kept] = await all();
    expect(unseal(kept?.keyCipher ?? "")).toBe(text(good));
    expect(await api.database.db.$count(auditEntries)).toBe(before);
  },
);
