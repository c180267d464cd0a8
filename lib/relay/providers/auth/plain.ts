import type { AuthScheme, Credentials } from "../channel-type";

export const bearer = (key: string): Credentials => ({ headers: ["authorization", `Bearer ${key}`] });
export const apiKeyHeader = (key: string): Credentials => ({ headers: ["api-key", key] });
export const googleKey = (key: string): Credentials => ({ headers: ["x-goog-api-key", key] });
export const midjourneySecret: AuthScheme = (key) => ({ headers: ["mj-api-secret", key] });
/** For keys `key` or `key|appid`. */
export const qianfanKey = (key: string): Credentials => {
  const [secret = "", appid = ""] = key.split("|").map((part) => part.trim());
  return { headers: ["authorization", `Bearer ${secret}`, ...(appid === "" ? [] : ["appid", appid])] };
};
export const anthropicKey: AuthScheme = (key) => ({ headers: ["x-api-key", key] });
