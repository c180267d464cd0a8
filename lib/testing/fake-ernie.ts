import { type FakeFormatUpstream, startFakeFormatUpstream } from "./fake-format-upstream";

const PATH = /^\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/chat\/([\w.-]+)$/;

/** Errors come with status 200. */
const error = (code: number, message: string) => ({ status: 200, body: { error_code: code, error_msg: message } });

/** Baidu's Wenxin Workshop, for the key `good-id|good-secret`. A token is withdrawn when the next one is issued. */
export function startFakeErnie(): Promise<FakeFormatUpstream & { withdraw(): void }> {
  let issued = 0;
  const upstream = startFakeFormatUpstream({
    format: "ernie",
    calls: "thinking",
    modelOf: ({ url }) => PATH.exec(url.pathname)?.[1] ?? "",
    isStream: ({ body }) => body.stream === true,
    others: {
      "/oauth/2.0/token": ({ bytes }) => {
        const form = new URLSearchParams(bytes.toString("utf8"));
        const isGood = form.get("client_id") === "good-id" && form.get("client_secret") === "good-secret";
        const body = { error: "invalid_client", error_description: "unknown client id" };
        if (!isGood || form.get("grant_type") !== "client_credentials") return { status: 401, body };
        issued += 1;
        return { status: 200, body: { access_token: `24.token-${issued}`, expires_in: 2_592_000 } };
      },
    },
    refuse({ url, headers }) {
      if (!PATH.test(url.pathname)) return error(3, "Unsupported openapi method");
      if (headers.authorization !== undefined) return error(14, "IAM Certification failed");
      const isCurrent = url.searchParams.get("access_token") === `24.token-${issued}`;
      return isCurrent ? null : error(110, "Access token invalid or no longer valid");
    },
    failure(kind, message) {
      if (kind === "limited") return error(336501, message);
      return kind === "invalid" ? error(336003, message) : error(336000, message);
    },
  });
  const withdraw = (): void => {
    issued += 1;
  };
  return upstream.then((started) => ({ ...started, withdraw }));
}
