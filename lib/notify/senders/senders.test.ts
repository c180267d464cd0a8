import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { defaultOptions, type OptionValues } from "@/lib/option/registry";
import { type FakeReceivers, RECEIVER_KEYS as KEYS, startFakeReceivers } from "@/lib/testing/fake-receivers";
import { FAKE_WORKER_KEY, startFakeWorker } from "@/lib/testing/fake-worker";
import { DeliveryError, detailOf, toDeliveryError } from "../delivery-error";
import type { OutgoingMessage } from "../message";
import type { TargetConfig, TargetKind } from "../target-kinds";
import { sendMessage } from "./send-message";

/** Long, unless a test waits for its end: on a busy machine an answer can take half a second. */
const limit = vi.hoisted(() => ({ ms: 10_000 }));

/** Real requests over real sockets. */
vi.mock("@/lib/egress", async (original) => {
  const real = await original<typeof import("@/lib/egress")>();
  return {
    ...real,
    egressFetch: (url: string, options: object) => real.egressFetch(url, { ...options, timeoutMs: limit.ms }),
  };
});

let receivers: FakeReceivers;
let options: OptionValues;
const mails: { to: string; subject: string; text: string; html: string; messageId?: string }[] = [];

beforeAll(async () => {
  receivers = await startFakeReceivers();
  vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");
  options = {
    ...defaultOptions(),
    SMTPServer: "mail.weir.example",
    WxPusherAppToken: KEYS.wxPusherToken,
    WxPusherAddress: receivers.url,
    BarkAddress: receivers.url,
    DingTalkAddress: receivers.url,
    FeishuAddress: receivers.url,
    WeComAddress: receivers.url,
    TelegramApiAddress: receivers.url,
    DiscordAddress: receivers.url,
  };
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await receivers.close();
});
beforeEach(() => {
  receivers.received.length = 0;
  mails.length = 0;
});
afterEach(() => {
  receivers.setMood("ok");
  limit.ms = 10_000;
});

const message: OutgoingMessage = {
  deliveryId: "41",
  wireType: "quota_exceed",
  locale: "en",
  siteName: "Weir",
  title: "Low balance",
  content: 'Balance <b>1</b> & "2" @everyone\n<at user_id="all">all</at> *bold*',
  url: "https://weir.example/topup",
  urlLabel: "Open",
  values: ["1", "2"],
  createdAt: 1_700_000_000,
};

type Setup = { [Kind in TargetKind]: { right: () => TargetConfig<Kind>; wrong: () => TargetConfig<Kind> } };
type Http = Exclude<TargetKind, "email">;

const setups: Pick<Setup, Http> = {
  webhook: {
    right: () => ({ url: `${receivers.url}/hook`, secret: KEYS.webhookSecret }),
    wrong: () => ({ url: `${receivers.url}/hook`, secret: "another-secret" }),
  },
  wxpusher: { right: () => ({ uid: KEYS.wxPusherUid }), wrong: () => ({ uid: "UID_unsubscribed" }) },
  bark: {
    right: () => ({ server: "", key: KEYS.barkKey }),
    wrong: () => ({ server: receivers.url, key: "another-key" }),
  },
  gotify: {
    right: () => ({ server: receivers.url, token: KEYS.gotifyToken }),
    wrong: () => ({ server: receivers.url, token: "another-token" }),
  },
  dingtalk: {
    right: () => ({ token: KEYS.dingTalkToken, secret: KEYS.dingTalkSecret }),
    wrong: () => ({ token: KEYS.dingTalkToken, secret: "SECanother" }),
  },
  feishu: {
    right: () => ({ hook: KEYS.feishuHook, secret: KEYS.feishuSecret }),
    wrong: () => ({ hook: KEYS.feishuHook, secret: "another" }),
  },
  wecom: { right: () => ({ key: KEYS.weComKey }), wrong: () => ({ key: "another-key" }) },
  telegram: {
    right: () => ({ chatId: KEYS.telegramChat, botToken: KEYS.telegramToken }),
    wrong: () => ({ chatId: "1", botToken: KEYS.telegramToken }),
  },
  discord: { right: () => ({ webhook: KEYS.discordWebhook }), wrong: () => ({ webhook: "1234567/another" }) },
};
const KINDS = Object.keys(setups) as Http[];

const sendMail = async (mail: (typeof mails)[number]) => void mails.push(mail);

function send<Kind extends TargetKind>(kind: Kind, config: TargetConfig<Kind>, settings = options): Promise<void> {
  return sendMessage(kind, config, message, { options: settings, accountEmail: "alice@weir.example", sendMail });
}

async function failureOf(sending: Promise<void>): Promise<DeliveryError> {
  const thrown = await sending.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown, "must fail").not.toBeNull();
  return toDeliveryError(thrown);
}

describe("a message arrives in the format and with the signature that the service asks for (B004)", () => {
  test.each(KINDS)("%s", async (kind) => {
    await send(kind, setups[kind].right() as TargetConfig<typeof kind>);
    expect(receivers.received).toHaveLength(1);
    expect(receivers.received[0]).toMatchObject({ service: kind });
    expect(receivers.received[0]?.text).toContain("Low balance");
    expect(receivers.received[0]?.text).toContain("https://weir.example/topup");
  });
});

describe("through the site's worker", () => {
  let worker: Awaited<ReturnType<typeof startFakeWorker>>;
  beforeAll(async () => {
    worker = await startFakeWorker();
  });
  afterAll(() => worker.close());
  const through = (values: Partial<OptionValues> = {}) => ({
    ...options,
    WorkerUrl: worker.url,
    WorkerValidKey: FAKE_WORKER_KEY,
    ...values,
  });

  test("a webhook arrives as it was signed, and the worker never sees the secret (contract §4.9)", async () => {
    await send("webhook", setups.webhook.right(), through());
    expect(receivers.received.map(({ service }) => service)).toEqual(["webhook"]);
    const [request] = worker.requests;
    expect(request?.asked).toMatchObject({ url: `${receivers.url}/hook`, method: "POST" });
    expect(JSON.stringify(request)).not.toContain(KEYS.webhookSecret);
    expect({ ...request?.headers, ...request?.asked.headers }).not.toHaveProperty("authorization");
  });

  test("a worker that refuses or is away gives up nothing, and its key and address are told to nobody", async () => {
    const refused = await failureOf(send("webhook", setups.webhook.right(), through({ WorkerValidKey: "other-key" })));
    expect(refused).toMatchObject({ messageKey: "notifyRefused", permanent: false, params: { code: 403 } });
    expect(JSON.stringify(refused.params)).not.toContain("other-key");
    const away = await failureOf(send("webhook", setups.webhook.right(), through({ WorkerUrl: "http://127.0.0.1:1" })));
    expect(away).toMatchObject({ messageKey: "egressWorker", permanent: false, params: {} });
  });
});

describe("a key that the service does not know is a failure for good, also where the status is 200", () => {
  test.each(KINDS.filter((kind) => kind !== "wxpusher"))("%s", async (kind) => {
    const failure = await failureOf(send(kind, setups[kind].wrong() as TargetConfig<typeof kind>));
    expect(failure).toMatchObject({ messageKey: "notifyRefused", permanent: true });
    expect(failure).toBeInstanceOf(DeliveryError);
  });

  test("wxpusher: a receiver that refuses inside of a success is a failure", async () => {
    const failure = await failureOf(send("wxpusher", setups.wxpusher.wrong()));
    expect(failure).toMatchObject({ messageKey: "notifyRefused", params: { code: "1002" } });
  });
});

describe("a service that limits is asked again later, when it says", () => {
  test.each(KINDS)("%s", async (kind) => {
    receivers.setMood("limited");
    const failure = await failureOf(send(kind, setups[kind].right() as TargetConfig<typeof kind>));
    expect(failure.permanent).toBe(false);
    expect(failure.messageKey).toMatch(/^notify(RateLimited|Refused)$/);
    const says = ["webhook", "bark", "gotify", "telegram", "discord"].includes(kind);
    expect(failure.retryAfterSeconds).toBe(says ? 7 : 0);
  });
});

describe("a service that is away is asked again later", () => {
  test.each(KINDS)("%s", async (kind) => {
    receivers.setMood("broken");
    const failure = await failureOf(send(kind, setups[kind].right() as TargetConfig<typeof kind>));
    expect(failure).toMatchObject({ messageKey: "notifyRefused", permanent: false, params: { code: 503, detail: "" } });
  });

  test.each(KINDS)("%s, without an answer in time", async (kind) => {
    receivers.setMood("silent");
    limit.ms = 300;
    const failure = await failureOf(send(kind, setups[kind].right() as TargetConfig<typeof kind>));
    expect(failure).toMatchObject({ messageKey: "egressTimeout", permanent: false });
  });
});

describe("what a message says is never read as markup", () => {
  const bodyOf = () => receivers.received[0]?.body;

  test("webhook: the text as it is, the contract's fields, values and the moment (contract §4.9)", async () => {
    await send("webhook", setups.webhook.right());
    const { url, ...rest } = bodyOf();
    expect(rest).toEqual({
      type: "quota_exceed",
      title: "Low balance",
      content: message.content,
      values: ["1", "2"],
      timestamp: 1_700_000_000,
    });
    expect(url).toBe(message.url);
    expect(receivers.received[0]?.headers["x-weir-delivery"]).toBe("41");
    expect(JSON.stringify(receivers.received[0]?.headers)).not.toContain(KEYS.webhookSecret);
  });

  test("feishu: plain elements of a post, in which no call to everybody is read", async () => {
    await send("feishu", setups.feishu.right());
    const { content, title } = bodyOf().content.post.zh_cn;
    expect(title).toBe("Low balance");
    expect(content[1]).toEqual([{ tag: "text", text: '<at user_id="all">all</at> *bold*' }]);
  });

  test("discord: nobody is mentioned, Markdown is escaped", async () => {
    await send("discord", setups.discord.right());
    expect(bodyOf().allowed_mentions).toEqual({ parse: [] });
    expect(bodyOf().embeds[0].description).toContain("\\*bold\\*");
    expect(bodyOf().embeds[0].description).toContain("\\@everyone");
  });

  test("telegram and dingtalk: text without a parse mode, nobody is called", async () => {
    await send("telegram", setups.telegram.right());
    expect(bodyOf()).not.toHaveProperty("parse_mode");
    await send("dingtalk", setups.dingtalk.right());
    expect(receivers.received[1]?.body.at).toEqual({ atMobiles: [], atUserIds: [], isAtAll: false });
  });

  test("wecom: never longer than the service takes, never cut within a character", async () => {
    const long = { ...message, content: "预警".repeat(2_000) };
    const context = { options, accountEmail: "", sendMail };
    await sendMessage("wecom", setups.wecom.right(), long, context);
    expect(bodyOf().text.content).toMatch(/预?警?…$/u);
    expect(bodyOf().text.content).not.toContain("\uFFFD");
  });

  test("e-mail: HTML is escaped, the header has no second line, a repetition has the same id", async () => {
    await send("email", { address: "", code: "" });
    await send("email", { address: "other@weir.example", code: "", confirmed: "other@weir.example" });
    expect(mails.map(({ to }) => to)).toEqual(["alice@weir.example", "other@weir.example"]);
    expect(mails[0]?.html).toContain("&lt;b&gt;1&lt;/b&gt; &amp; &quot;2&quot;");
    expect(mails[0]?.subject).toBe("[Weir] Low balance");
    expect(mails[0]?.messageId).toBe("<weir-notification-41@weir.example>");
    expect(mails[1]?.messageId).toBe(mails[0]?.messageId);
  });
});

describe("what is missing is said", () => {
  test.each([
    ["email", { address: "", code: "" }, "notifyMailOff", { SMTPServer: "" }],
    ["wxpusher", { uid: KEYS.wxPusherUid }, "notifyWxPusherOff", { WxPusherAppToken: "" }],
    ["telegram", { chatId: "1", botToken: "" }, "notifyTelegramOff", {}],
  ] as const)("%s", async (kind, config, messageKey, change) => {
    const failure = await failureOf(send(kind, config as never, { ...options, ...change }));
    expect(failure).toMatchObject({ messageKey, permanent: true });
  });

  test("telegram: the site's own bot writes for owners without one", async () => {
    const settings = { ...options, TelegramBotToken: KEYS.telegramToken };
    await send("telegram", { chatId: KEYS.telegramChat, botToken: "" }, settings);
    expect(receivers.received).toHaveLength(1);
  });
});

test("an address of an owner's that leads into a private network is not reached (contract §12 no. 32)", async () => {
  vi.stubEnv("WEIR_EGRESS_ALLOW", "");
  for (const sending of [
    () => send("webhook", setups.webhook.right()),
    () => send("gotify", setups.gotify.right()),
    () => send("bark", { server: receivers.url, key: KEYS.barkKey }),
  ]) {
    expect(await failureOf(sending())).toMatchObject({ messageKey: "egressBlocked", permanent: true });
  }
  expect(receivers.received).toHaveLength(0);
  vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");
});

test("a receiver that repeats the secret in its refusal does not get it stored", () => {
  const said = `bad\r\ntoken ${KEYS.telegramToken}\u202e!`;
  expect(detailOf(said, [KEYS.telegramToken, ""])).toBe("bad token *** !");
});
