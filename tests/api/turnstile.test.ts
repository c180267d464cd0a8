import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as resetApi from "@/app/api/reset_password/[[...path]]/route";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import * as verificationApi from "@/app/api/verification/[[...path]]/route";
import { type FakeTurnstile, startFakeTurnstile } from "@/lib/testing/fake-turnstile";
import { type MailServer, startMailServer } from "@/lib/testing/mail-server";
import { fromElsewhere, setOptions, useMailServer } from "./account-harness";
import { call, PASSWORD, setUpApi } from "./harness";

const api = setUpApi();
let service: FakeTurnstile;
let mail: MailServer;
let count = 0;

beforeAll(async () => {
  service = await startFakeTurnstile();
  mail = await startMailServer();
  process.env.WEIR_TURNSTILE_URL = service.url;
  await useMailServer(api.database, mail);
  await setOptions(api.database, { TurnstileSiteKey: "site", TurnstileSecretKey: "secret" });
  await setOptions(api.database, { TurnstileCheckEnabled: true });
});
afterAll(async () => {
  delete process.env.WEIR_TURNSTILE_URL;
  await Promise.all([service.stop(), mail.stop()]);
});

const login = { username: "alice", password: PASSWORD };
const calls: [string, (token: string) => Promise<{ status: number; json: { success: boolean; message: string } }>][] = [
  [
    "sign-in",
    (token) => call(userApi, `POST /api/user/login?turnstile=${token}`, { body: login, headers: fromElsewhere() }),
  ],
  [
    "sign-up",
    (token) =>
      call(userApi, `POST /api/user/register?turnstile=${token}`, {
        body: { username: `t${++count}`, password: PASSWORD },
        headers: fromElsewhere(),
      }),
  ],
  [
    "verification code",
    (token) =>
      call(verificationApi, `GET /api/verification?email=t${++count}@weir.example&turnstile=${token}`, {
        headers: fromElsewhere(),
      }),
  ],
  [
    "reset link",
    (token) =>
      call(resetApi, `GET /api/reset_password?email=alice@weir.example&turnstile=${token}`, {
        headers: fromElsewhere(),
      }),
  ],
];

describe.each(calls)("the human check before %s (B279, A138)", (name, ask) => {
  const token = (kind: string) => `${kind}-${name.replace(" ", "-")}`;

  test("an empty token, a refused one and a used one are told apart from a good one", async () => {
    expect((await ask("")).json).toEqual({ success: false, message: "Turnstile Token 为空" });
    expect((await ask(token("bad"))).json).toEqual({ success: false, message: "Turnstile 校验失败，请刷新重试！" });
    expect((await ask(token("good"))).json.success).toBe(true);
    expect((await ask(token("good"))).json.message).toBe("Turnstile 校验失败，请刷新重试！");
  });

  test("of one token at once for several calls only one is good", async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => ask(token("good-twice"))));
    const refused = answers.filter(({ json }) => json.message === "Turnstile 校验失败，请刷新重试！");
    expect(refused).toHaveLength(3);
  });

  test("nobody passes while the service gives no verdict", async () => {
    const answer = await ask(token("broken"));
    expect([answer.status, answer.json]).toEqual([
      200,
      { success: false, message: "无法连接 Turnstile 服务，请稍后重试" },
    ]);
  });
});

describe("the service", () => {
  test("is asked with the secret, the token and the caller's address", async () => {
    await call(userApi, "POST /api/user/login?turnstile=good-asked", {
      body: login,
      headers: { "x-forwarded-for": "203.0.113.5" },
    });
    expect(service.asked.at(-1)).toEqual({ secret: "secret", response: "good-asked", remoteip: "203.0.113.5" });
  });

  test("is not asked about a token that no widget makes", async () => {
    const before = service.asked.length;
    const answer = await call(userApi, `POST /api/user/login?turnstile=good${"x".repeat(3_000)}`, { body: login });
    expect(answer.json.message).toBe("Turnstile 校验失败，请刷新重试！");
    expect(service.asked).toHaveLength(before);
  });

  test("is left alone, and the token with it, while the check is off; the status says which it is (A111)", async () => {
    const shown = async () => (await call(statusApi, "GET /api/status")).json.data;
    expect(await shown()).toMatchObject({ turnstile_check: true, turnstile_site_key: "site" });
    await setOptions(api.database, { TurnstileCheckEnabled: false });
    const before = service.asked.length;
    const answer = await call(userApi, "POST /api/user/login?turnstile=", { body: login, headers: fromElsewhere() });
    expect(answer.json.success).toBe(true);
    expect(service.asked).toHaveLength(before);
    expect((await shown()).turnstile_check).toBe(false);
    await setOptions(api.database, { TurnstileCheckEnabled: true });
  });

  test("nobody passes while it cannot be reached at all", async () => {
    process.env.WEIR_TURNSTILE_URL = "http://127.0.0.1:1/siteverify";
    const answer = await call(userApi, "POST /api/user/login?turnstile=good-away", { body: login });
    process.env.WEIR_TURNSTILE_URL = service.url;
    expect(answer.json.message).toBe("无法连接 Turnstile 服务，请稍后重试");
  });
});
