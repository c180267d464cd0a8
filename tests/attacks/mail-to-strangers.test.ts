// A user types a stranger's address as the target of notifications, to have the site mail them. Nothing but one code may
// go there, and nothing else until that code comes back from the same account.
import { afterAll, beforeAll, expect, test } from "vitest";
import * as userApi from "@/app/api/user/[[...path]]/route";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { sendMail } from "@/lib/mail/send-mail";
import { saveTarget } from "@/lib/notify/target-commands";
import { testTarget } from "@/lib/notify/test-commands";
import { confirmAddress } from "@/lib/registration/confirm-address-commands";
import { type MailServer, startMailServer } from "@/lib/testing/mail-server";
import { fromElsewhere, useMailServer } from "../api/account-harness";
import { call, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
let server: MailServer;
const STRANGER = "stranger@elsewhere.example";

beforeAll(async () => {
  server = await startMailServer();
  await useMailServer(api.database, server);
});
afterAll(() => server.stop());

const contextOf = ({ id, username }: Person): ServiceContext => {
  const actor = { type: "user", id, username, role: 1, group: "default", via: "session" } as const;
  return { db: api.database.db, sql: api.database.sql, actor, clientIp: `198.51.100.${id}` };
};
const save = (as: Person, config: Record<string, string>) =>
  saveTarget(contextOf(as), { kind: "email", name: "", config, events: [] }, confirmAddress);
const put = (as: Person, more: object) => {
  const body = { notify_type: "email", quota_warning_threshold: 1, ...more };
  return call(userApi, "PUT /api/user/setting", { as, body, headers: fromElsewhere() });
};

test("a typed address gets one code, and is no target before that code is entered", async () => {
  await expect(save(api.alice, { address: STRANGER })).rejects.toThrow("notifyCodeSent");
  await expect(save(api.alice, { address: STRANGER })).rejects.toThrow("mailPause");
  expect(server.received.flatMap(({ to }) => to)).toEqual([STRANGER]);
  expect(await api.database.sql`select 1 from notification_targets`).toHaveLength(0);
  const code = /\b[2-9A-HJ-NP-Z]{6}\b/.exec(server.received[0]?.mail.text ?? "")?.[0] ?? "";
  await expect(save(api.bob, { address: STRANGER, code })).rejects.toThrow("emailCodeWrong");
  await expect(save(api.alice, { address: STRANGER, code: "AAAAAA" })).rejects.toThrow("emailCodeWrong");
  const { id } = await save(api.alice, { address: STRANGER, code: code.toLowerCase() });
  await testTarget(contextOf(api.alice), { id }, (mail) => sendMail(api.database.db, mail));
  expect(server.received).toHaveLength(2);
  // Confirmed once, it needs no code for another change, but another address does.
  const again = { id, kind: "email", name: "mine", events: [] } as const;
  await saveTarget(contextOf(api.alice), { ...again, config: { address: STRANGER }, events: [] }, confirmAddress);
  const other = { address: "second@elsewhere.example" };
  await expect(
    saveTarget(contextOf(api.alice), { ...again, config: other, events: [] }, confirmAddress),
  ).rejects.toThrow("notifyCodeSent");
});

test("the setting of the API is no way around it", async () => {
  const answer = await put(api.bob, { notification_email: "third@elsewhere.example" });
  expect(answer.json.success).toBe(false);
  expect(await api.database.sql`select 1 from notification_targets where user_id = ${api.bob.id}`).toHaveLength(0);
  expect((await put(api.bob, { notification_email: "bob@weir.example" })).json.success).toBe(true);
});

test("a target that was stored before addresses were confirmed gets nothing, and says why", async () => {
  const config = seal(JSON.stringify({ address: "old@elsewhere.example" }));
  const [row] = await api.database.sql`
    insert into notification_targets (user_id, kind, config_cipher) values (${api.bob.id}, 'email', ${config}) returning id`;
  const before = server.received.length;
  const testing = testTarget(contextOf(api.bob), { id: row?.id }, (mail) => sendMail(api.database.db, mail));
  await expect(testing).rejects.toThrow("notifyUnconfirmed");
  expect(server.received).toHaveLength(before);
});
