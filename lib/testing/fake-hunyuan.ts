import { signTc3 } from "../relay/providers/auth/tc3";
import { type FakeFormatUpstream, startFakeFormatUpstream } from "./fake-format-upstream";

/** Errors come with status 200. */
const error = (code: string, message: string) => ({
  status: 200,
  body: { Response: { Error: { Code: code, Message: message }, RequestId: "0b4f8a27-9f9a-4d7a-9d27-3d6f0a3c8e11" } },
});

/** Tencent Hunyuan, for the key `1|good-id|good-secret`. */
export function startFakeHunyuan(): Promise<FakeFormatUpstream> {
  return startFakeFormatUpstream({
    format: "hunyuan",
    calls: "parallel-tools",
    modelOf: ({ body }) => String(body.Model),
    isStream: ({ body }) => body.Stream === true,
    refuse({ url, headers, bytes }) {
      if (url.pathname !== "/") return error("InvalidAction", "no such path");
      if (headers["x-tc-action"] !== "ChatCompletions" || headers["x-tc-version"] !== "2023-09-01") {
        return error("InvalidAction", "no such action");
      }
      const seconds = Number(headers["x-tc-timestamp"]);
      const host = "hunyuan.tencentcloudapi.com";
      const signed = { "content-type": String(headers["content-type"]), host, "x-tc-action": "ChatCompletions" };
      const credential = { secretId: "good-id", secretKey: "good-secret", service: "hunyuan" };
      const expected = signTc3({ ...credential, headers: signed, body: bytes, seconds });
      return headers.authorization === expected
        ? null
        : error("AuthFailure.SignatureFailure", "The signature is wrong.");
    },
    failure(kind, message) {
      if (kind === "limited") return error("RequestLimitExceeded", message);
      return kind === "invalid" ? error("InvalidParameter", message) : error("InternalError", message);
    },
  });
}
