import { createHmac } from "node:crypto";
import type { AuthScheme } from "./channel-type";
import { ChannelSetupError } from "./setup-error";

export const bearer: AuthScheme = (key) => ({ headers: ["authorization", `Bearer ${key}`] });
export const apiKeyHeader: AuthScheme = (key) => ({ headers: ["api-key", key] });
export const googleKey: AuthScheme = (key) => ({ headers: ["x-goog-api-key", key] });
export const midjourneySecret: AuthScheme = (key) => ({ headers: ["mj-api-secret", key] });
export const anthropicKey: AuthScheme = (key) => ({ headers: ["x-api-key", key] });

/** For schemes that are not implemented yet, such as signed requests and fetched access tokens. */
export const authNotBuilt: AuthScheme = () => {
  throw new ChannelSetupError("keys of this channel type cannot be used yet", "invalid_api_type");
};

const jwtLifeMs = 24 * 3_600_000;
const jwtRenewMs = 3_600_000;
const issued = new Map<string, { token: string; renewAt: number }>();

function base64url(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** A JWT signed with the second half of `id.secret`, sent without "Bearer". Cached for an hour. */
export const zhipuToken: AuthScheme = (key) => {
  const now = Date.now();
  const kept = issued.get(key);
  if (kept && kept.renewAt > now) return { headers: ["authorization", kept.token] };
  const [id = "", secret = ""] = key.split(".");
  const header = base64url({ alg: "HS256", sign_type: "SIGN", typ: "JWT" });
  const payload = base64url({ api_key: id, exp: now + jwtLifeMs, timestamp: now });
  const signature = createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url");
  const token = `${header}.${payload}.${signature}`;
  if (issued.size > 1_000) issued.clear();
  issued.set(key, { token, renewAt: now + jwtRenewMs });
  return { headers: ["authorization", token] };
};
