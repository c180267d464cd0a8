import { type FakeFormatUpstream, startFakeFormatUpstream } from "./fake-format-upstream";

const PATH = /^\/api\/v1\/services\/aigc\/(text|multimodal)-generation\/generation$/;

const error = (status: number, code: string, message: string) => ({
  status,
  body: { code, message, request_id: "7671ecd8-93cc-9ee9-bc89-739f0fd8b809" },
});

/** Alibaba's native API, for the key good-key. */
export function startFakeDashscope(): Promise<FakeFormatUpstream> {
  return startFakeFormatUpstream({
    format: "dashscope",
    calls: "parallel-tools",
    modelOf: ({ body }) => String(body.model),
    isStream: ({ headers }) => headers["x-dashscope-sse"] === "enable",
    refuse({ url, headers, body }) {
      const path = PATH.exec(url.pathname);
      if (!path) return error(404, "InvalidURL", "url error, please check url!");
      if (headers.authorization !== "Bearer good-key") {
        return error(401, "InvalidApiKey", "Invalid API-key provided.");
      }
      const isStream = headers["x-dashscope-sse"] === "enable";
      const { incremental_output: isIncremental = false } = body.parameters as { incremental_output?: boolean };
      return isIncremental === isStream ? null : error(400, "InvalidParameter", "incremental_output is for streams");
    },
    failure(kind, message) {
      if (kind === "limited") return error(429, "Throttling.RateQuota", message);
      return kind === "invalid" ? error(400, "InvalidParameter", message) : error(500, "InternalError.Algo", message);
    },
  });
}
