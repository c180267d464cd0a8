// Who: a stranger who asks for a password mail with a Host header of their own, so that its link leads to them; and an
// operator who has not yet said what the site's address is.
// What must hold: links that leave the site carry the address that root confirmed, or are not sent at all.
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as resetApi from "@/app/api/reset_password/[[...path]]/route";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { options, topUps, users } from "@/db/schema";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { testMessage } from "@/lib/notify/message";
import { plainText } from "@/lib/notify/senders/sender";
import { checkOnboarding } from "@/lib/onboarding/queries";
import { loadOptions } from "@/lib/option/queries";
import { type MailServer, startMailServer } from "@/lib/testing/mail-server";
import { payWithStripe } from "@/lib/topup/commands";
import { fromElsewhere, setOptions, useMailServer } from "../api/account-harness";
import { call, type Person, setUpApi } from "../api/harness";

const MISSING = "请先填写服务器地址";
const api = setUpApi();
let mail: MailServer;

beforeAll(async () => {
  mail = await startMailServer();
  await useMailServer(api.database, mail);
  await setOptions(api.database, { PayAddress: "https://pay.example", EpayId: "1001" });
  const sealed = ["EpayKey", "StripeApiSecret", "StripeWebhookSecret"];
  await api.database.db.insert(options).values(sealed.map((key) => ({ key, value: seal("a-secret"), sealed: true })));
  await api.database.db.update(users).set({ email: "alice@x.example" }).where(eq(users.id, api.alice.id));
});
afterAll(() => mail.stop());
beforeEach(() => setOptions(api.database, { ServerAddress: "" }));

function contextOf({ id, username }: Person, role: number): ServiceContext {
  const { db, sql } = api.database;
  return { db, sql, clientIp: "", actor: { type: "user", id, username, role, group: "default", via: "session" } };
}

const elsewhere = () => ({ ...fromElsewhere(), host: "evil.example", "x-forwarded-host": "evil.example" });
const sendLink = () => call(resetApi, "GET /api/reset_password?email=alice@x.example", { headers: elsewhere() });

test("no password mail is sent while the site has no address, whatever the Host header says (A188)", async () => {
  expect((await sendLink()).json).toMatchObject({ success: false, message: MISSING });
  expect(mail.received).toEqual([]);
  await setOptions(api.database, { ServerAddress: "https://weir.example" });
  expect((await sendLink()).json).toMatchObject({ success: true });
  const { text } = mail.latestTo("alice@x.example").mail;
  expect(text).toContain("https://weir.example/user/reset?");
  expect(text).not.toContain("evil.example");
});

test("no payment is begun while the site has no address to return to, and no order is left (A148)", async () => {
  const epay = await call(userApi, "POST /api/user/pay", {
    as: api.alice,
    headers: elsewhere(),
    body: { amount: 10, payment_method: "zfb" },
  });
  expect(JSON.stringify(epay.json)).toContain(MISSING);
  const stripe = payWithStripe(contextOf(api.alice, 1), { amount: 10 });
  await expect(stripe).rejects.toMatchObject({ code: "unavailable", messageKey: "serverAddressMissing" });
  expect(await api.database.db.$count(topUps)).toBe(0);
});

test("a notification without a site address has no link, and one with it has", async () => {
  const message = async () => testMessage("1", 0, "en", await loadOptions(api.database.db));
  expect((await message()).url).toBeNull();
  expect(plainText(await message())).not.toMatch(/null|http|\n\n$/);
  await setOptions(api.database, { ServerAddress: "https://weir.example" });
  expect(plainText(await message())).toMatch(/\n\nhttps:\/\/weir\.example\/setting$/);
});

test("the status tells clients the address that they came by; the checklist asks root for the site's own (A228)", async () => {
  const seen = async () =>
    (await call(statusApi, "GET /api/status", { headers: { host: "10.0.0.5:8080" } })).json.data.server_address;
  const step = async () => (await checkOnboarding(contextOf(api.root, 100))).find(({ id }) => id === "address");
  expect([await seen(), await step()]).toEqual(["http://10.0.0.5:8080", { id: "address", done: false }]);
  await setOptions(api.database, { ServerAddress: "https://weir.example" });
  expect([await seen(), await step()]).toEqual(["https://weir.example", { id: "address", done: true }]);
});
