import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { describe, expect, test } from "vitest";
import type { SignedRequest } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { sigV4, sparkHmacUrl, tc3 } from "./index";
import { Sha256, sigV4Auth } from "./sigv4";
import { sparkAuth, sparkUrl } from "./spark";
import { signTc3, tc3Auth } from "./tc3";

const sent = (url: string, body = "{}"): SignedRequest => ({
  url,
  body: Buffer.from(body),
  trust: "public",
  proxy: "",
});
const headerOf = (pairs: readonly string[], name: string) => pairs[pairs.indexOf(name) + 1] ?? "";
const sha256 = (text: string | Buffer) => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();

describe("AWS signature version 4", () => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
  const signingDate = new Date("2015-08-30T12:36:00Z");

  // From AWS's signature version 4 test suite.
  test.each([
    ["get-vanilla", "GET", {}, "", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
    ["post-vanilla", "POST", {}, "", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
    [
      "post-x-www-form-urlencoded",
      "POST",
      { "content-type": "application/x-www-form-urlencoded" },
      "Param1=value1",
      "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    ],
  ])("the published vector %s", async (_name, method, headers, body, signature) => {
    const signer = new SignatureV4({
      ...{ service: "service", region: "us-east-1", credentials, sha256: Sha256, applyChecksum: false },
    });
    const hostname = "example.amazonaws.com";
    const request = {
      ...{ method, protocol: "https:", hostname, path: "/", query: {} },
      ...{ headers: { host: hostname, ...headers }, body },
    };
    const signed = await signer.sign(request, { signingDate });
    expect(signed.headers.authorization).toContain(`Signature=${signature}`);
  });

  const key = `${credentials.accessKeyId}|${credentials.secretAccessKey}|us-east-1`;
  const url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-v2%3A1/invoke?a=1&b=%2F";

  /** The signature by AWS's description, from what goes out. */
  function expected(body: string, extra: string): string {
    const names = `content-type;host;x-amz-content-sha256;x-amz-date${extra === "" ? "" : ";x-amz-security-token"}`;
    const canonical = [
      "POST",
      // The path is encoded once more, as all services but S3 want it.
      "/model/anthropic.claude-v2%253A1/invoke",
      "a=1&b=%2F",
      "content-type:application/json",
      "host:bedrock-runtime.us-east-1.amazonaws.com",
      `x-amz-content-sha256:${sha256(body)}`,
      `x-amz-date:20150830T123600Z${extra}`,
      "",
      names,
      sha256(body),
    ].join("\n");
    const scope = "20150830/us-east-1/bedrock/aws4_request";
    const text = `AWS4-HMAC-SHA256\n20150830T123600Z\n${scope}\n${sha256(canonical)}`;
    const parts = ["us-east-1", "bedrock", "aws4_request"];
    const signing = parts.reduce(hmac, hmac(`AWS4${credentials.secretAccessKey}`, "20150830"));
    return `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names}, Signature=${hmac(signing, text).toString("hex")}`;
  }

  test("a request to Bedrock is signed with its path, query, body and headers", async () => {
    const body = JSON.stringify({ text: "ü".repeat(100_000) });
    const { headers } = await sigV4Auth(() => signingDate)(key, sent(url, body));
    expect(headerOf(headers, "authorization")).toBe(expected(body, ""));
    expect(headerOf(headers, "x-amz-date")).toBe("20150830T123600Z");
    expect(headers).not.toContain("host");
    expect(headers).not.toContain("content-type");
  });

  test("a session token is sent and signed", async () => {
    const { headers } = await sigV4Auth(() => signingDate)(`${key}|the-session-token`, sent(url));
    expect(headerOf(headers, "x-amz-security-token")).toBe("the-session-token");
    expect(headerOf(headers, "authorization")).toBe(expected("{}", "\nx-amz-security-token:the-session-token"));
  });

  test("an API key of Bedrock is a bearer token", () => {
    expect(sigV4("ABSK-key|eu-west-1", sent(url))).toEqual({ headers: ["authorization", "Bearer ABSK-key"] });
  });

  test.each(["k", "k|s|", "k|s|us-east-1|t|x", "k|evil.example/", "k|s|us-east-1.evil.example", "k|s|"])(
    "%s is no key",
    (bad) => expect(() => sigV4(bad, sent(url))).toThrow(ChannelSetupError),
  );
});

describe("Tencent's TC3-HMAC-SHA256", () => {
  // Tencent's worked example; its documentation has changed the key and the signed headers over time.
  const body = Buffer.from(
    String.raw`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`,
  );
  const headers = { "content-type": "application/json; charset=utf-8", host: "cvm.tencentcloudapi.com" };
  test.each([
    ["Gu5t9xGARNpq86cd98joQYCN3EXAMPLE", headers, "72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168"],
    [
      "*".repeat(32),
      { ...headers, "x-tc-action": "DescribeInstances" },
      "10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f",
    ],
  ])("the published example with the key %s", (secretKey, signed, signature) => {
    const request = { secretId: "AKID", secretKey, service: "cvm", headers: signed, body, seconds: 1_551_113_065 };
    expect(signTc3(request)).toBe(
      `TC3-HMAC-SHA256 Credential=AKID/2019-02-25/cvm/tc3_request, SignedHeaders=${Object.keys(signed).join(";")}, Signature=${signature}`,
    );
  });

  const key = "1250000000|AKID|secret";

  test("a request to Hunyuan has all headers that it needs", () => {
    const signed = tc3Auth(() => 1_551_113_065_999)(key, sent("https://hunyuan.tencentcloudapi.com/"));
    expect(signed).toMatchObject({
      headers: [
        "authorization",
        expect.stringMatching(
          /^TC3-HMAC-SHA256 Credential=AKID\/2019-02-25\/hunyuan\/tc3_request, SignedHeaders=content-type;host;x-tc-action, Signature=[0-9a-f]{64}$/,
        ),
        "x-tc-action",
        "ChatCompletions",
        "x-tc-version",
        "2023-09-01",
        "x-tc-timestamp",
        "1551113065",
      ],
    });
  });

  test("through another host it is signed for Tencent's", () => {
    const auth = tc3Auth(() => 0);
    expect(auth(key, sent("https://mirror.example/"))).toEqual(auth(key, sent("https://hunyuan.tencentcloudapi.com/")));
    expect(auth(key, sent("https://mirror.example/"))).not.toEqual(
      auth(key, sent("https://hunyuan.ap-guangzhou.tencentcloudapi.com/")),
    );
  });

  test.each(["a|b", "a|b|c|d", "|b|c"])("%s is no key", (bad) => {
    expect(() => tc3(bad, sent("https://host/"))).toThrow("AppId|SecretId|SecretKey");
  });
});

describe("the signed URL of Spark", () => {
  const url = "wss://spark-api.xf-yun.com/v1.1/chat";
  const now = new Date("2023-05-05T10:43:39Z");
  const key = "app-1|MjlmNzkzNmZkMDQ2OTc0ZDdmNGE2ZTZi|addd2272b6d8b7c8abdd79531420ca3b";

  test("is that of iFlytek's published example", () => {
    const signed = new URL(
      sparkUrl({ apiSecret: "MjlmNzkzNmZkMDQ2OTc0ZDdmNGE2ZTZi", apiKey: "addd2272b6d8b7c8abdd79531420ca3b" }, url, now),
    );
    expect(signed.origin + signed.pathname).toBe(url);
    expect(signed.search).toContain("date=Fri%2C+05+May+2023+10%3A43%3A39+GMT&host=spark-api.xf-yun.com");
    expect(Buffer.from(signed.searchParams.get("authorization") ?? "", "base64").toString()).toBe(
      'api_key="addd2272b6d8b7c8abdd79531420ca3b", algorithm="hmac-sha256", headers="host date request-line", signature="z5gHdu3pxVV4ADMyk467wOWDQ9q6BQzR3nfMTjc/DaQ="',
    );
  });

  test("comes with the application's id for the body", () => {
    expect(sparkAuth(() => now.getTime())(key, sent(url))).toEqual({
      headers: [],
      url: expect.stringMatching(/^wss:\/\/spark-api\.xf-yun\.com\/v1\.1\/chat\?authorization=/),
      fields: { header: { app_id: "app-1" } },
    });
  });

  test.each(["a|b", 'a|b|c"d', "a||c"])("%s is no key", (bad) => {
    expect(() => sparkHmacUrl(bad, sent(url))).toThrow("APPID|APISecret|APIKey");
  });
});
