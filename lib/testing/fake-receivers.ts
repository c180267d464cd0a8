import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** The secrets that the fakes accept; others are refused as the real services do. */
export const RECEIVER_KEYS = {
  webhookSecret: "webhook-secret-of-the-test",
  wxPusherToken: "AT_0123456789abcdefghijABCDEFGHIJ",
  wxPusherUid: "UID_0123456789abcdefghijABCDEF",
  barkKey: "ynJ5Ft4atkMkWeo2PAvFhF",
  gotifyToken: "AbCdEf123456789",
  dingTalkToken: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  dingTalkSecret: "SEC0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  feishuHook: "01234567-89ab-cdef-0123-456789abcdef",
  feishuSecret: "FeishuSecret0123456789",
  weComKey: "76543210-89ab-cdef-0123-456789abcdef",
  telegramToken: "123456789:AAE0123456789abcdefghijklmnopqrstuv",
  telegramChat: "-1001234567890",
  discordWebhook: "1234567890123456789/DiscordToken_0123456789-abcdefghijklmnop",
} as const;

/** How the fakes respond from now on. */
export type ReceiverMood = "ok" | "limited" | "broken" | "silent";

export type ReceivedMessage = {
  service: string;
  headers: IncomingHttpHeaders;
  text: string;
  /** The parsed JSON body; each test asserts its shape. */
  body: ReturnType<typeof JSON.parse>;
};

type Call = { url: URL; headers: IncomingHttpHeaders; text: string; body: ReturnType<typeof JSON.parse> };
type Reply = { status?: number; headers?: Record<string, string>; body?: unknown; picture?: Buffer };
type Service = { path: RegExp; service: string; limited: Reply; answer: (call: Call) => Reply };

/** A GIF of one pixel. */
const PICTURE = Buffer.from("R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==", "base64");
const HOUR_MS = 3_600_000;

function isSame(given: string, expected: string): boolean {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

function hmac(key: string, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text).digest(encoding);
}

/** A receiver as described in docs/notifications.md: all headers are checked before the message is accepted. */
function answerWebhook({ headers, text }: Call): Reply {
  const timestamp = String(headers["x-weir-timestamp"]);
  const signed = `${timestamp}.${headers["x-weir-delivery"]}.${text}`;
  const isFresh = Math.abs(Date.now() - Number(timestamp) * 1000) < 300_000;
  const isSigned = isSame(
    String(headers["x-weir-signature"]),
    `v1=${hmac(RECEIVER_KEYS.webhookSecret, signed, "hex")}`,
  );
  const isSignedPlainly = isSame(
    String(headers["x-webhook-signature"]),
    hmac(RECEIVER_KEYS.webhookSecret, text, "hex"),
  );
  return isFresh && isSigned && isSignedPlainly ? { status: 204 } : { status: 401, body: { message: "bad signature" } };
}

function answerDingTalk({ url, body }: Call): Reply {
  const timestamp = url.searchParams.get("timestamp") ?? "";
  const sign = url.searchParams.get("sign") ?? "";
  const secret = RECEIVER_KEYS.dingTalkSecret;
  if (url.searchParams.get("access_token") !== RECEIVER_KEYS.dingTalkToken) {
    return { body: { errcode: 300_005, errmsg: "token is not exist" } };
  }
  const isFresh = Math.abs(Date.now() - Number(timestamp)) < HOUR_MS;
  if (!isFresh || !isSame(sign, hmac(secret, `${timestamp}\n${secret}`, "base64"))) {
    return { body: { errcode: 310_000, errmsg: "sign not match, more: [https://ding-doc.dingtalk.com/]" } };
  }
  if (body.msgtype !== "text" || typeof body.text?.content !== "string") {
    return { body: { errcode: 400_105, errmsg: "unsupported msgtype" } };
  }
  return { body: { errcode: 0, errmsg: "ok" } };
}

function answerFeishu({ url, body }: Call): Reply {
  if (!url.pathname.endsWith(`/${RECEIVER_KEYS.feishuHook}`)) {
    return { status: 400, body: { code: 19_001, msg: "param invalid: incoming webhook access token invalid" } };
  }
  const timestamp = String(body.timestamp);
  const isFresh = /^\d{10}$/.test(timestamp) && Math.abs(Date.now() - Number(timestamp) * 1000) < HOUR_MS;
  if (!isFresh || !isSame(String(body.sign), hmac(`${timestamp}\n${RECEIVER_KEYS.feishuSecret}`, "", "base64"))) {
    return { body: { code: 19_021, msg: "sign match fail or timestamp is not within one hour from current time" } };
  }
  const post = body.content?.post?.zh_cn;
  if (body.msg_type !== "post" || typeof post?.title !== "string" || !Array.isArray(post.content?.[0])) {
    return { body: { code: 9_499, msg: "Bad Request" } };
  }
  return { body: { StatusCode: 0, StatusMessage: "success", code: 0, data: {}, msg: "success" } };
}

function answerWeCom({ url, body }: Call): Reply {
  if (url.searchParams.get("key") !== RECEIVER_KEYS.weComKey) {
    return { body: { errcode: 93_000, errmsg: "invalid webhook url, hint: [1]" } };
  }
  const { content } = body.text ?? {};
  const fits = body.msgtype === "text" && typeof content === "string" && Buffer.byteLength(content) <= 2_048;
  return { body: fits ? { errcode: 0, errmsg: "ok" } : { errcode: 40_058, errmsg: "content exceed max length" } };
}

function answerTelegram({ url, body }: Call): Reply {
  if (!url.pathname.startsWith(`/bot${RECEIVER_KEYS.telegramToken}/`)) {
    return { status: 401, body: { ok: false, error_code: 401, description: "Unauthorized" } };
  }
  if (String(body.chat_id) !== RECEIVER_KEYS.telegramChat) {
    return { status: 400, body: { ok: false, error_code: 400, description: "Bad Request: chat not found" } };
  }
  return { body: { ok: true, result: { message_id: 1 } } };
}

function answerDiscord({ url, body }: Call): Reply {
  if (!url.pathname.endsWith(`/${RECEIVER_KEYS.discordWebhook}`)) {
    return { status: 404, body: { message: "Unknown Webhook", code: 10_015 } };
  }
  return Array.isArray(body.embeds)
    ? { status: 204 }
    : { status: 400, body: { message: "Cannot send an empty message" } };
}

function answerBark({ body }: Call): Reply {
  if (body.device_key !== RECEIVER_KEYS.barkKey) {
    return { status: 400, body: { code: 400, message: "failed to get device token" } };
  }
  return { body: { code: 200, message: "success", timestamp: 1 } };
}

function answerGotify({ headers, body }: Call): Reply {
  if (headers["x-gotify-key"] !== RECEIVER_KEYS.gotifyToken) {
    const errorDescription = "you need to provide a valid access token or user credentials to access this api";
    return { status: 401, body: { error: "Unauthorized", errorCode: 401, errorDescription } };
  }
  return { body: { id: 25, appid: 5, message: body.message, title: body.title, priority: body.priority } };
}

function answerWxPusher({ body }: Call): Reply {
  if (body.appToken !== RECEIVER_KEYS.wxPusherToken)
    return { body: { code: 1_001, msg: "appToken不正确", success: false } };
  const data = (body.uids as string[]).map((uid) =>
    uid === RECEIVER_KEYS.wxPusherUid
      ? { uid, topicId: null, messageId: 121, code: 1_000, status: "创建发送任务成功" }
      : { uid, topicId: null, messageId: null, code: 1_002, status: "用户已经拒绝接收消息" },
  );
  return { body: { code: 1_000, msg: "处理成功", data, success: true } };
}

type State = { mood: ReceiverMood; scannedUid: string | null; url: string };

const ok = (body: unknown): Reply => ({ body });
const tooMany = (body: unknown): Reply => ({ status: 429, headers: { "retry-after": "7" }, body });

/** WxPusher's endpoints: sending, QR code, its picture, and who scanned it. */
function wxPusherServices(state: State): Service[] {
  return [
    {
      service: "wxpusher",
      path: /^\/api\/send\/message$/,
      limited: ok({ code: 1_001, msg: "发送过于频繁", success: false }),
      answer: answerWxPusher,
    },
    {
      service: "wxpusher-code",
      path: /^\/api\/fun\/create\/qrcode$/,
      limited: tooMany({}),
      answer: ({ body }) => {
        if (body.appToken !== RECEIVER_KEYS.wxPusherToken) return ok({ code: 1_001, msg: "appToken不正确" });
        if (typeof body.extra !== "string" || body.extra.length > 64) return ok({ code: 1_001, msg: "extra过长" });
        const picture = { url: `${state.url}/api/qrcode/code-1.gif`, shortUrl: `${state.url}/q/1`, code: "code-1" };
        return ok({ code: 1_000, msg: "处理成功", data: { ...picture, extra: body.extra }, success: true });
      },
    },
    { service: "picture", path: /^\/api\/qrcode\//, limited: tooMany({}), answer: () => ({ picture: PICTURE }) },
    {
      service: "wxpusher-scan",
      path: /^\/api\/fun\/scan-qrcode-uid$/,
      limited: tooMany({}),
      answer: ({ url }) =>
        state.scannedUid !== null && url.searchParams.get("code") === "code-1"
          ? ok({ code: 1_000, msg: "处理成功", data: state.scannedUid, success: true })
          : ok({ code: 1_001, msg: "暂无用户扫描二维码", data: null, success: false }),
    },
  ];
}

/** Group robots at their real paths, each with its own response for "too fast". */
const CHAT_SERVICES: Service[] = [
  {
    service: "dingtalk",
    path: /^\/robot\/send$/,
    limited: ok({ errcode: 130_101, errmsg: "send too fast, exceed 20 times per minute" }),
    answer: answerDingTalk,
  },
  {
    service: "feishu",
    path: /^\/open-apis\/bot\/v2\/hook\//,
    limited: ok({ code: 11_232, msg: "frequency limited psm[lark.oapi.app_platform_runtime]", data: {} }),
    answer: answerFeishu,
  },
  {
    service: "wecom",
    path: /^\/cgi-bin\/webhook\/send$/,
    limited: ok({ errcode: 45_009, errmsg: "api freq out of limit" }),
    answer: answerWeCom,
  },
  {
    service: "telegram",
    path: /^\/bot[^/]+\/sendMessage$/,
    limited: {
      status: 429,
      body: { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 7 } },
    },
    answer: answerTelegram,
  },
  {
    service: "discord",
    path: /^\/api\/webhooks\//,
    limited: { status: 429, body: { message: "You are being rate limited.", retry_after: 6.2, global: false } },
    answer: answerDiscord,
  },
];

const PUSH_SERVICES: Service[] = [
  { service: "webhook", path: /^\/hook$/, limited: tooMany({}), answer: answerWebhook },
  { service: "bark", path: /^\/push$/, limited: tooMany({ code: 429, message: "too many" }), answer: answerBark },
  { service: "gotify", path: /^\/message$/, limited: tooMany({}), answer: answerGotify },
];

export type FakeReceivers = {
  url: string;
  received: ReceivedMessage[];
  setMood: (mood: ReceiverMood) => void;
  /** Simulates a scan of the QR code. */
  scan: (uid: string) => void;
  close: () => Promise<void>;
};

/** Fakes of every push service and chat robot on one loopback port; they check format and signature. */
export async function startFakeReceivers(): Promise<FakeReceivers> {
  const received: ReceivedMessage[] = [];
  const state: State = { mood: "ok", scannedUid: null, url: "" };
  const services = [...PUSH_SERVICES, ...CHAT_SERVICES, ...wxPusherServices(state)];
  const server = createServer((request, response) => {
    void read(request).then((text) => respond(request, text, response));
  });
  const respond = (request: IncomingMessage, text: string, response: ServerResponse) => {
    if (state.mood === "silent") return;
    const url = new URL(request.url ?? "/", state.url);
    const found = services.find(({ path }) => path.test(url.pathname));
    const body = text === "" ? null : JSON.parse(text);
    if (found) received.push({ service: found.service, headers: request.headers, text, body });
    write(response, replyTo(found, state.mood, { url, headers: request.headers, text, body }));
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  state.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: state.url,
    received,
    setMood: (mood) => {
      state.mood = mood;
    },
    scan: (uid) => {
      state.scannedUid = uid;
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function replyTo(found: Service | undefined, mood: ReceiverMood, call: Call): Reply {
  if (!found) return { status: 404, body: { message: "not found" } };
  if (mood === "broken") return { status: 503, body: "<html>upstream is away</html>" };
  return mood === "limited" ? found.limited : found.answer(call);
}

function write(response: ServerResponse, { status = 200, headers = {}, body, picture }: Reply): void {
  if (picture) return void response.writeHead(200, { "content-type": "image/gif" }).end(picture);
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body));
}

async function read(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
