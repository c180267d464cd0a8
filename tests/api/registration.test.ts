import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as oauthApi from "@/app/api/oauth/[[...path]]/route";
import * as resetApi from "@/app/api/reset_password/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import * as verificationApi from "@/app/api/verification/[[...path]]/route";
import { type MailServer, startMailServer } from "@/lib/testing/mail-server";
import { fromElsewhere, setOptions, useMailServer } from "./account-harness";
import { call, createPerson, PASSWORD, type Person, setUpApi } from "./harness";

const api = setUpApi();
let mail: MailServer;
let count = 0;

beforeAll(async () => {
  mail = await startMailServer();
  await useMailServer(api.database, mail);
});
afterAll(() => mail.stop());
beforeEach(() =>
  setOptions(api.database, {
    RegisterEnabled: true,
    PasswordRegisterEnabled: true,
    EmailVerificationEnabled: false,
    EmailDomainRestrictionEnabled: false,
    EmailAliasRestrictionEnabled: false,
  }),
);

const fresh = () => `n${++count}`;
const register = (body: object, headers: Record<string, string> = fromElsewhere()) =>
  call(userApi, "POST /api/user/register?turnstile=", { body, headers });
const sendCode = (email: string, headers: Record<string, string> = fromElsewhere()) =>
  call(verificationApi, `GET /api/verification?email=${encodeURIComponent(email)}&turnstile=`, { headers });
const sendLink = (email: string, headers: Record<string, string> = fromElsewhere()) =>
  call(resetApi, `GET /api/reset_password?email=${encodeURIComponent(email)}&turnstile=`, { headers });
const confirm = (email: string, token: string) =>
  call(userApi, "POST /api/user/reset", { body: { email, token }, headers: fromElsewhere() });
const login = (username: string, password: string) =>
  call(userApi, "POST /api/user/login", { body: { username, password }, headers: fromElsewhere() });
const bind = (as: Person, email: string, code: string) =>
  call(oauthApi, `GET /api/oauth/email/bind?${new URLSearchParams({ email, code })}`, { as, headers: fromElsewhere() });
const codeTo = (email: string) => /^[0-9A-Z]{6}$/m.exec(mail.latestTo(email).mail.text ?? "")?.[0] ?? "";
const linkTo = (email: string) => new URL(/https:\S+/.exec(mail.latestTo(email).mail.text ?? "")?.[0] ?? "none:");
const userCount = async () => (await api.database.sql<{ n: number }[]>`select count(*)::int as n from users`)[0]?.n;

async function refused(answer: Promise<{ status: number; json: { success: boolean; message: string } }>) {
  const before = await userCount();
  const { status, json } = await answer;
  expect([status, json.success]).toEqual([200, false]);
  expect(await userCount()).toBe(before);
  return json.message;
}

describe("sign-up by password (A185, B272)", () => {
  test("makes an ordinary account that can sign in, and signs nobody in", async () => {
    const username = fresh();
    const answer = await register({ username, password: PASSWORD, password2: PASSWORD, email: "", aff_code: "" });
    expect(answer.json).toEqual({ success: true, message: "" });
    expect(answer.headers.get("set-cookie")).toBeNull();
    const { data } = (await login(username, PASSWORD)).json;
    expect(data).toMatchObject({ username, display_name: username, role: 1, status: 1, group: "default" });
  });

  test("may be closed altogether, or by password; which of the two is said", async () => {
    const body = { username: fresh(), password: PASSWORD };
    await setOptions(api.database, { PasswordRegisterEnabled: false });
    expect(await refused(register(body))).toBe("管理员已关闭密码注册，请使用第三方账户注册");
    await setOptions(api.database, { RegisterEnabled: false });
    expect(await refused(register(body))).toBe("管理员已关闭新用户注册");
    const english = { ...fromElsewhere(), "accept-language": "en" };
    expect(await refused(register(body, english))).toBe("Sign-up is closed");
  });

  test("closed sign-up is said before anything that is wrong with the input (contract §9.1)", async () => {
    await setOptions(api.database, { RegisterEnabled: false });
    expect(await refused(register({ username: "", password: "" }))).toBe("管理员已关闭新用户注册");
  });

  test.each([
    ["7 characters", "1234567", false],
    ["8 characters", "12345678", true],
    ["20 characters", "1".repeat(20), true],
    ["21 characters", "1".repeat(21), false],
  ])("the server keeps passwords to 8–20 characters: %s (A139, A216)", async (_name, password, taken) => {
    const answer = await register({ username: fresh(), password });
    expect(answer.json.success).toBe(taken);
    if (!taken) expect(answer.json.message).toBe("密码长度必须在 8 到 20 个字符之间");
  });

  test.each([
    ["empty", "", "用户名长度必须在 1 到 12 个字符之间"],
    ["13 characters", "abcdefghijklm", "用户名长度必须在 1 到 12 个字符之间"],
    ["an address", "a@b.example", "用户名不能包含 @ 或不可见字符"],
    ["a control character", "ab\u0007cd", "用户名不能包含 @ 或不可见字符"],
    ["a hidden direction mark", "ab\u202ecd", "用户名不能包含 @ 或不可见字符"],
  ])("a name that cannot be is refused: %s", async (_name, username, message) => {
    expect(await refused(register({ username, password: PASSWORD }))).toBe(message);
  });

  test("two passwords that differ are refused by the server too", async () => {
    const body = { username: fresh(), password: PASSWORD, password2: "password-2" };
    expect(await refused(register(body))).toBe("两次输入的密码不一致");
  });

  test("a name is taken whatever its case, and by deregistered accounts as well", async () => {
    const gone = await createPerson(api.database, fresh(), 1);
    await api.database.sql`update users set deleted_at = now() where id = ${gone.id}`;
    for (const username of ["alice", "ALICE", gone.username]) {
      expect(await refused(register({ username, password: PASSWORD }))).toBe("用户名已被使用");
    }
  });

  test("of many sign-ups with one name at once exactly one succeeds", async () => {
    const username = fresh();
    const answers = await Promise.all(Array.from({ length: 8 }, () => register({ username, password: PASSWORD })));
    expect(answers.filter(({ json }) => json.success)).toHaveLength(1);
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  test("without e-mail verification an address that was sent along is not kept: nobody proved it", async () => {
    const username = fresh();
    await register({ username, password: PASSWORD, email: "somebody@weir.example", verification_code: "" });
    const [row] = await api.database.sql`select email from users where username = ${username}`;
    expect(row).toEqual({ email: null });
  });

  test("rank, balance, group and id cannot be sent along", async () => {
    const username = fresh();
    await register({
      username,
      password: PASSWORD,
      role: 100,
      quota: 999,
      group: "vip",
      id: 1,
      status: 2,
      inviter_id: 1,
    });
    const [row] = await api.database.sql`
      select role, quota, "group", status, inviter_id from users where username = ${username}`;
    expect(row).toEqual({ role: 1, quota: 0, group: "default", status: 1, inviter_id: null });
  });

  test("with DefaultTokenEnabled a first key comes with the account, without it none", async () => {
    const names = [fresh(), fresh()];
    await register({ username: names[0], password: PASSWORD });
    await setOptions(api.database, { DefaultTokenEnabled: true });
    await register({ username: names[1], password: PASSWORD });
    await setOptions(api.database, { DefaultTokenEnabled: false });
    const rows = await api.database.sql`
      select username, unlimited_quota, expired_time from tokens join users on users.id = user_id
      where username in ${api.database.sql(names)}`;
    expect(rows).toEqual([{ username: names[1], unlimited_quota: true, expired_time: -1 }]);
  });
});

describe("sign-up with a verified e-mail address (A187, B274)", () => {
  beforeEach(() => setOptions(api.database, { EmailVerificationEnabled: true }));

  test("takes the code that was mailed, keeps the address in lower case, and signs in by it", async () => {
    const [username, email] = [fresh(), `Reader${count}@Weir.Example`];
    expect((await sendCode(email)).json).toEqual({ success: true, message: "" });
    const address = email.toLowerCase();
    expect(mail.latestTo(address).mail.subject).toBe("[Weir] 邮箱验证码");
    const body = { username, password: PASSWORD, email, verification_code: codeTo(address).toLowerCase() };
    expect((await register(body)).json.success).toBe(true);
    expect((await login(email, PASSWORD)).json.data.username).toBe(username);
    const [row] = await api.database.sql`select email from users where username = ${username}`;
    expect(row).toEqual({ email: address });
  });

  test("needs address and code", async () => {
    const missing = "管理员已开启邮箱验证，请输入邮箱地址和验证码";
    expect(await refused(register({ username: fresh(), password: PASSWORD }))).toBe(missing);
    expect(await refused(register({ username: fresh(), password: PASSWORD, email: "a@weir.example" }))).toBe(missing);
  });

  test("a code of another address, an expired one and a used one are refused alike", async () => {
    const email = `x${fresh()}@weir.example`;
    await sendCode(email);
    const code = codeTo(email);
    const attempt = (given: object) => register({ username: fresh(), password: PASSWORD, email, ...given });
    expect(await refused(attempt({ email: "other@weir.example", verification_code: code }))).toBe("验证码错误或已过期");
    expect((await attempt({ verification_code: code })).json.success).toBe(true);
    expect(await refused(attempt({ verification_code: code }))).toBe("验证码错误或已过期");
    const late = `x${fresh()}@weir.example`;
    await sendCode(late);
    await api.database.sql`update one_time_secrets set expires_at = 1 where subject = ${late}`;
    expect(await refused(attempt({ email: late, verification_code: codeTo(late) }))).toBe("验证码错误或已过期");
  });

  test("after five wrong guesses the right code is refused as well", async () => {
    const email = `x${fresh()}@weir.example`;
    await sendCode(email);
    const attempt = (code: string) =>
      register({ username: fresh(), password: PASSWORD, email, verification_code: code });
    for (let i = 0; i < 5; i++) await refused(attempt(`WRONG${i}`));
    expect(await refused(attempt(codeTo(email)))).toBe("验证码错误或已过期");
  });

  test("a code survives a sign-up that failed for another reason", async () => {
    const email = `x${fresh()}@weir.example`;
    await sendCode(email);
    const body = { password: PASSWORD, email, verification_code: codeTo(email) };
    for (let i = 0; i < 7; i++) expect(await refused(register({ ...body, username: "alice" }))).toBe("用户名已被使用");
    expect((await register({ ...body, username: fresh() })).json.success).toBe(true);
  });

  test("an address in use is refused before anything is sent, also when its account is deregistered", async () => {
    const gone = await createPerson(api.database, fresh(), 1);
    await api.database.sql`update users set deleted_at = now() where id = ${gone.id}`;
    const sent = mail.received.length;
    for (const email of ["alice@weir.example", "ALICE@weir.example", `${gone.username}@weir.example`]) {
      expect(await refused(sendCode(email))).toBe("邮箱地址已被占用");
    }
    expect(mail.received).toHaveLength(sent);
  });

  test.each(["", "no-address", "a@b", "a b@c.example", `${"x".repeat(60)}@weir.example`, "a@b.example,c@d.example"])(
    "what is no address is refused: %s",
    async (email) => {
      expect(await refused(sendCode(email))).toBe(email === "" ? "请输入邮箱！" : "邮箱地址格式错误");
    },
  );

  test("only listed domains are taken while the restriction is on, at sending and at sign-up (A095)", async () => {
    const early = `x${fresh()}@elsewhere.example`;
    await sendCode(early);
    await setOptions(api.database, {
      EmailDomainWhitelist: "weir.example, Gmail.com",
      EmailDomainRestrictionEnabled: true,
    });
    const message = "本站不支持 elsewhere.example 的邮箱地址，请使用其他邮箱";
    expect(await refused(sendCode("reader@elsewhere.example"))).toBe(message);
    expect(await refused(sendCode("reader@sub.weir.example"))).toContain("sub.weir.example");
    const body = { username: fresh(), password: PASSWORD, email: early, verification_code: codeTo(early) };
    expect(await refused(register(body))).toBe(message);
    expect((await sendCode(`x${fresh()}@GMAIL.com`)).json.success).toBe(true);
  });

  test("aliases are refused while the restriction is on (A095)", async () => {
    await setOptions(api.database, { EmailAliasRestrictionEnabled: true });
    for (const email of ["a+b@weir.example", "a.b@weir.example"]) {
      expect(await refused(sendCode(email))).toContain("管理员禁止使用邮箱别名");
    }
    expect((await sendCode(`x${fresh()}@weir.example`)).json.success).toBe(true);
  });
});

describe("messages to a mailbox are limited", () => {
  test("a second one within 30 seconds answers 429, whoever asks; another mailbox is not affected (A217)", async () => {
    const email = `x${fresh()}@weir.example`;
    await sendCode(email);
    const again = await sendCode(email);
    expect([again.status, again.json.success]).toEqual([429, false]);
    expect(again.json.message).toMatch(/^发送过于频繁，请在 \d+ 秒后重试$/);
    expect((await sendCode(`x${fresh()}@weir.example`)).json.success).toBe(true);
  });

  test("one that could not be sent neither starts the pause nor leaves a code that works", async () => {
    const email = `x${fresh()}@weir.example`;
    await setOptions(api.database, { SMTPPort: 1 });
    expect(await refused(sendCode(email))).toBe("无法连接邮件服务器，请稍后重试");
    expect(await api.database.sql`select 1 from one_time_secrets where subject = ${email}`).toEqual([]);
    await setOptions(api.database, { SMTPPort: mail.port });
    expect((await sendCode(email)).json.success).toBe(true);
  });
});

describe("a new password by e-mail (A188, A189)", () => {
  test("the link leads to the confirmation page of this site, works once, and the new password signs in", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const email = `${user.username}@weir.example`;
    expect((await sendLink(email.toUpperCase())).json).toEqual({ success: true, message: "" });
    const link = linkTo(email);
    expect([link.origin, link.pathname, link.searchParams.get("email")]).toEqual([
      "https://weir.example",
      "/user/reset",
      email,
    ]);
    const token = link.searchParams.get("token") ?? "";
    const answer = await confirm(email, token);
    expect(answer.json).toEqual({ success: true, message: "", data: expect.stringMatching(/^[0-9A-Za-z]{12}$/) });
    expect(await refused(confirm(email, token))).toBe("重置链接无效或已过期");
    expect((await login(user.username, PASSWORD)).json.success).toBe(false);
    expect((await login(user.username, answer.json.data)).json.success).toBe(true);
  });

  test("every session of the account ends", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const email = `${user.username}@weir.example`;
    await sendLink(email);
    await confirm(email, linkTo(email).searchParams.get("token") ?? "");
    expect((await call(userApi, "GET /api/user/self", { as: user })).status).toBe(401);
  });

  test("of two confirmations at once exactly one succeeds", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const email = `${user.username}@weir.example`;
    await sendLink(email);
    const token = linkTo(email).searchParams.get("token") ?? "";
    const answers = await Promise.all([confirm(email, token), confirm(email, token)]);
    expect(answers.map(({ json }) => json.success).sort()).toEqual([false, true]);
  });

  test("an address that nobody registered is refused, as is that of a deregistered account (B274)", async () => {
    const gone = await createPerson(api.database, fresh(), 1);
    await api.database.sql`update users set deleted_at = now() where id = ${gone.id}`;
    for (const email of ["nobody@weir.example", `${gone.username}@weir.example`]) {
      expect(await refused(sendLink(email))).toBe("该邮箱地址未注册");
    }
  });

  test("a wrong, foreign or expired token is refused and changes nothing", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const email = `${user.username}@weir.example`;
    await sendLink(email);
    const token = linkTo(email).searchParams.get("token") ?? "";
    expect(await refused(confirm(email, "wrong"))).toBe("重置链接无效或已过期");
    expect(await refused(confirm("alice@weir.example", token))).toBe("重置链接无效或已过期");
    await api.database.sql`update one_time_secrets set expires_at = 1 where subject = ${email}`;
    expect(await refused(confirm(email, token))).toBe("重置链接无效或已过期");
    expect((await login(user.username, PASSWORD)).json.success).toBe(true);
  });

  test("the message speaks the language of who asked for it", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const email = `${user.username}@weir.example`;
    await sendLink(email, { ...fromElsewhere(), "accept-language": "en" });
    expect(mail.latestTo(email).mail.subject).toBe("[Weir] Reset your password");
    expect(mail.latestTo(email).mail.html).not.toMatch(/\p{Script=Han}/u);
  });
});

describe("binding an e-mail address (A194)", () => {
  test("takes the code that was mailed there", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const email = `bound${user.id}@weir.example`;
    await sendCode(email);
    expect((await bind(user, email, codeTo(email))).json).toEqual({ success: true, message: "" });
    expect((await call(userApi, "GET /api/user/self", { as: user })).json.data.email).toBe(email);
  });

  test("is refused with a wrong code, without one, and when another account has taken the address since", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const email = `bound${user.id}@weir.example`;
    await sendCode(email);
    expect(await refused(bind(user, email, "WRONG2"))).toBe("验证码错误或已过期");
    expect(await refused(bind(user, email, ""))).toBe("请输入邮箱验证码！");
    expect(await refused(bind(user, "", "ABC234"))).toBe("请输入邮箱！");
    await api.database.sql`update users set email = ${email} where id = ${api.bob.id}`;
    expect(await refused(bind(user, email, codeTo(email)))).toBe("邮箱地址已被占用");
  });

  test("is not for visitors, nor for a browser whose owner has long not been asked", async () => {
    const user = await createPerson(api.database, fresh(), 1);
    const answer = await call(oauthApi, "GET /api/oauth/email/bind?email=a@weir.example&code=ABC234");
    expect(answer.status).toBe(401);
    await api.database.sql`update sessions set confirmed_at = 1 where user_id = ${user.id}`;
    expect((await bind(user, "a@weir.example", "ABC234")).json).toMatchObject({
      success: false,
      code: "step_up_required",
    });
  });
});
