import { beforeEach, describe, expect, test } from "vitest";
import * as logApi from "@/app/api/log/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { payDividend } from "@/lib/affiliate/commands";
import { reconcile } from "@/lib/billing/reconcile";
import { fromElsewhere, setOptions } from "./account-harness";
import { call, createPerson, PASSWORD, type Person, setUpApi } from "./harness";

const api = setUpApi();
let count = 0;

beforeEach(() =>
  setOptions(api.database, {
    QuotaForNewUser: 1_000,
    QuotaForInvitee: 300,
    QuotaForInviter: 700,
    InvitationDailyLimit: 20,
    InvitationAddressCheckEnabled: true,
    AffiliateDividendPercent: 0,
  }),
);

const person = () => createPerson(api.database, `p${++count}`, 1);
const codeOf = async (as: Person): Promise<string> => (await call(userApi, "GET /api/user/aff", { as })).json.data;
const selfOf = async (as: Person) => (await call(userApi, "GET /api/user/self", { as })).json.data;

async function join(affCode: string, headers: Record<string, string> = fromElsewhere()) {
  const username = `j${++count}`;
  const body = { username, password: PASSWORD, aff_code: affCode };
  expect((await call(userApi, "POST /api/user/register", { body, headers })).json.success).toBe(true);
  const [row] = await api.database.sql<{ id: number; quota: number; inviterId: number | null }[]>`
    select id, quota, inviter_id as "inviterId" from users where username = ${username}`;
  if (!row) throw new Error("no row");
  return row;
}

const eventsOf = (userId: number) =>
  api.database.sql<{ type: number; event: string; quota: number }[]>`
    select type, other ->> 'event' as event, quota from usage_logs where user_id = ${userId} order by id`;

/** Checks that every balance and every sum of pending earnings equals the sum of its entries. */
async function assertBooksAgree(): Promise<void> {
  const { differences } = await reconcile(api.database.sql);
  expect(differences.filter(({ check }) => check === "users.quota")).toEqual([]);
  const wrong = await api.database.sql`
    select users.id from users left join affiliate_entries on user_id = users.id group by users.id
    having aff_quota <> coalesce(sum(amount), 0)
      or aff_history_quota <> coalesce(sum(amount) filter (where amount > 0), 0)`;
  expect(wrong).toEqual([]);
}

describe("invite codes (A181)", () => {
  test("have four characters, stay the same, and are one's own", async () => {
    const [one, other] = [await person(), await person()];
    const code = await codeOf(one);
    expect(code).toMatch(/^[0-9A-Za-z]{4}$/);
    expect([await codeOf(one), (await selfOf(one)).aff_code]).toEqual([code, code]);
    expect(await codeOf(other)).not.toBe(code);
  });

  test("asked for ten times at once it is one code", async () => {
    const user = await person();
    const codes = await Promise.all(Array.from({ length: 10 }, () => codeOf(user)));
    expect(new Set(codes).size).toBe(1);
  });
});

describe("signing up with an invite code (A185, B323)", () => {
  test("gives to the newcomer's balance and the inviter's pending earnings, each told in the log as system", async () => {
    const inviter = await person();
    const invitee = await join(await codeOf(inviter));
    expect(invitee).toMatchObject({ quota: 1_300, inviterId: inviter.id });
    expect(await selfOf(inviter)).toMatchObject({ quota: 0, aff_count: 1, aff_quota: 700, aff_history_quota: 700 });
    expect(await eventsOf(invitee.id)).toEqual([
      { type: 4, event: "newUserGift", quota: 1_000 },
      { type: 4, event: "inviteeReward", quota: 300 },
    ]);
    expect(await eventsOf(inviter.id)).toEqual([{ type: 4, event: "inviterReward", quota: 0 }]);
    const shown = await call(logApi, "GET /api/log/self?type=4", { as: inviter });
    expect(shown.json.data.items[0].content).toBe(`邀请用户 ${invitee.id}，获得待使用收益 700`);
    await assertBooksAgree();
  });

  test("with nothing to give everybody is still counted, and nothing is logged", async () => {
    await setOptions(api.database, { QuotaForNewUser: 0, QuotaForInvitee: 0, QuotaForInviter: 0 });
    const inviter = await person();
    const invitee = await join(await codeOf(inviter));
    expect([invitee.quota, invitee.inviterId, (await selfOf(inviter)).aff_count]).toEqual([0, inviter.id, 1]);
    expect([...(await eventsOf(invitee.id)), ...(await eventsOf(inviter.id))]).toEqual([]);
  });

  test("a code that nobody has, or that of a banned or deregistered inviter, keeps nobody out and earns nothing", async () => {
    const [banned, gone] = [await person(), await person()];
    const codes = ["none", await codeOf(banned), await codeOf(gone)];
    await api.database.sql`update users set status = 2 where id = ${banned.id}`;
    await api.database.sql`update users set deleted_at = now() where id = ${gone.id}`;
    for (const code of codes) expect(await join(code)).toMatchObject({ quota: 1_000, inviterId: null });
  });

  test("twelve sign-ups at once by one code are each rewarded once", async () => {
    const inviter = await person();
    const code = await codeOf(inviter);
    await Promise.all(Array.from({ length: 12 }, () => join(code)));
    expect(await selfOf(inviter)).toMatchObject({ aff_count: 12, aff_quota: 8_400, aff_history_quota: 8_400 });
    await assertBooksAgree();
  });
});

describe("farming of invitations is limited", () => {
  const unrewarded = { quota: 1_000 };

  test("from one address an inviter is rewarded once; neither side gets more, and the log says why", async () => {
    const inviter = await person();
    const code = await codeOf(inviter);
    const home = { "x-forwarded-for": "9.9.9.10" };
    expect((await join(code, home)).quota).toBe(1_300);
    expect(await join(code, home)).toMatchObject({ ...unrewarded, inviterId: inviter.id });
    expect(await selfOf(inviter)).toMatchObject({ aff_count: 2, aff_quota: 700 });
    expect((await eventsOf(inviter.id)).map(({ event }) => event)).toEqual(["inviterReward", "invitationSameAddress"]);
    const stranger = await person();
    expect((await join(await codeOf(stranger), home)).quota).toBe(1_300);
  });

  test("the inviter's own address earns nothing, unless the operator does not look at addresses", async () => {
    const inviter = await person();
    const code = await codeOf(inviter);
    await api.database.sql`update sessions set client_ip = '9.9.9.11' where user_id = ${inviter.id}`;
    const home = { "x-forwarded-for": "9.9.9.11" };
    expect(await join(code, home)).toMatchObject(unrewarded);
    await setOptions(api.database, { InvitationAddressCheckEnabled: false });
    expect((await join(code, home)).quota).toBe(1_300);
  });

  test("private addresses, which all behind one proxy share, are no evidence", async () => {
    const code = await codeOf(await person());
    for (let i = 0; i < 2; i++) expect((await join(code, { "x-forwarded-for": "10.0.0.7" })).quota).toBe(1_300);
  });

  test("beyond the daily limit invitations count but earn nothing, also when they come at once", async () => {
    await setOptions(api.database, { InvitationDailyLimit: 3 });
    const inviter = await person();
    const code = await codeOf(inviter);
    await Promise.all(Array.from({ length: 6 }, () => join(code)));
    expect(await selfOf(inviter)).toMatchObject({ aff_count: 6, aff_quota: 2_100 });
    await api.database.sql`
      update affiliate_entries set created_at = created_at - 86400 where user_id = ${inviter.id}`;
    await join(code);
    expect((await selfOf(inviter)).aff_quota).toBe(2_800);
  });
});

describe("moving earnings to the balance (A183, A147)", () => {
  const transfer = (as: Person, quota: unknown) =>
    call(userApi, "POST /api/user/aff_transfer", { as, body: { quota } });

  async function earner(earned: number): Promise<Person> {
    const user = await person();
    await api.database.sql`update users set aff_quota = ${earned}, aff_history_quota = ${earned} where id = ${user.id}`;
    await api.database.sql`
      insert into affiliate_entries (user_id, kind, amount, reference)
      values (${user.id}, 'invitation', ${earned}, ${`test:${user.id}`})`;
    return user;
  }

  test("moves the amount in one step and says so in the caller's language", async () => {
    const user = await earner(1_200_000);
    expect((await transfer(user, 500_000)).json).toEqual({ success: true, message: "划转成功" });
    expect(await selfOf(user)).toMatchObject({ quota: 500_000, aff_quota: 700_000, aff_history_quota: 1_200_000 });
    const entries = await api.database.sql`
      select kind, amount, reference from ledger_entries where user_id = ${user.id}`;
    expect(entries).toEqual([{ kind: "transfer", amount: 500_000, reference: expect.stringMatching(/^transfer:/) }]);
    await assertBooksAgree();
  });

  test.each([
    ["below QuotaPerUnit", 499_999, "划转金额最低为 500000"],
    ["more than is pending", 1_300_000, "待使用收益不足"],
    ["a fraction", 500_000.5, "划转额度必须是正整数"],
    ["text", "500000", "划转额度必须是正整数"],
    ["a negative amount", -500_000, "划转额度必须是正整数"],
    ["nothing", undefined, "划转额度必须是正整数"],
    ["beyond exact numbers", 1e300, "划转额度必须是正整数"],
  ])("%s is refused and changes nothing", async (_name, quota, message) => {
    const user = await earner(1_200_000);
    expect((await transfer(user, quota)).json).toEqual({ success: false, message });
    expect(await selfOf(user)).toMatchObject({ quota: 0, aff_quota: 1_200_000 });
  });

  test("ten transfers at once never move more than is there", async () => {
    const user = await earner(1_200_000);
    const answers = await Promise.all(Array.from({ length: 10 }, () => transfer(user, 500_000)));
    expect(answers.filter(({ json }) => json.success)).toHaveLength(2);
    expect(await selfOf(user)).toMatchObject({ quota: 1_000_000, aff_quota: 200_000 });
    await assertBooksAgree();
  });
});

describe("a share of an invitee's top-ups", () => {
  const pay = (topUpId: number, inviteeId: number, quota: number) =>
    api.database.db.transaction((tx) => payDividend(tx, { topUpId, inviteeId, quota }));

  test("goes to the inviter's pending earnings, rounded down, once per top-up", async () => {
    await setOptions(api.database, { AffiliateDividendPercent: 12.5 });
    const inviter = await person();
    const invitee = await join(await codeOf(inviter));
    const paid = await Promise.all(Array.from({ length: 5 }, () => pay(1, invitee.id, 1_001)));
    expect(paid.sort()).toEqual([0, 0, 0, 0, 125]);
    expect(await pay(2, invitee.id, 800)).toBe(100);
    expect(await selfOf(inviter)).toMatchObject({ quota: 0, aff_quota: 925, aff_history_quota: 925 });
    expect((await eventsOf(inviter.id)).filter(({ event }) => event === "dividend")).toHaveLength(2);
    await assertBooksAgree();
  });

  test("is nothing by default, without an inviter, and for a banned one", async () => {
    const inviter = await person();
    const invitee = await join(await codeOf(inviter));
    expect(await pay(10, invitee.id, 10_000)).toBe(0);
    await setOptions(api.database, { AffiliateDividendPercent: 10 });
    expect(await pay(11, api.alice.id, 10_000)).toBe(0);
    await api.database.sql`update users set status = 2 where id = ${inviter.id}`;
    expect(await pay(12, invitee.id, 10_000)).toBe(0);
  });

  test("is taken back with the top-up's transaction", async () => {
    await setOptions(api.database, { AffiliateDividendPercent: 10 });
    const inviter = await person();
    const invitee = await join(await codeOf(inviter));
    const failing = api.database.db.transaction(async (tx) => {
      await payDividend(tx, { topUpId: 20, inviteeId: invitee.id, quota: 10_000 });
      throw new Error("the payment was refused");
    });
    await expect(failing).rejects.toThrow("refused");
    expect((await selfOf(inviter)).aff_quota).toBe(700);
  });
});
