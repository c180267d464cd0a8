import { egressFetch } from "@/lib/egress";
import { AppError } from "@/lib/errors";
import type { OptionValues } from "@/lib/option/registry";
import { detailOf } from "./delivery-error";

type Options = Pick<OptionValues, "WxPusherAppToken" | "WxPusherAddress">;
type Answer = { code?: unknown; msg?: unknown; data?: unknown };

const DONE = 1_000;
const PICTURE_MAX_BYTES = 200_000;
const PICTURE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/**
 * Creates a QR code that carries `extra` (64 characters at most). The picture is returned as a data URL, so that the
 * browser contacts no third party. Throws AppError "upstream" on failure.
 */
export async function createWxPusherCode(
  options: Options,
  extra: string,
  validSeconds: number,
): Promise<{ code: string; image: string }> {
  if (options.WxPusherAppToken === "") throw new AppError("unavailable", "notifyWxPusherOff");
  const body = JSON.stringify({ appToken: options.WxPusherAppToken, extra, validTime: validSeconds });
  const answer = await ask(options, "/api/fun/create/qrcode", body);
  const { code, url } = (answer.data ?? {}) as { code?: unknown; url?: unknown };
  if (answer.code !== DONE || typeof code !== "string" || typeof url !== "string") throw refusal(options, answer);
  return { code, image: await fetchPicture(url, options) };
}

/** The id of the WeChat account that scanned the code last; null when nobody has. */
export async function findScannedUid(options: Options, code: string): Promise<string | null> {
  const { code: state, data } = await ask(options, `/api/fun/scan-qrcode-uid?${new URLSearchParams({ code })}`, null);
  return state === DONE && typeof data === "string" && data !== "" ? data : null;
}

async function ask(options: Options, path: string, body: string | null): Promise<Answer> {
  const reply = await egressFetch(`${options.WxPusherAddress}${path}`, {
    trust: "operator",
    ...(body === null ? {} : { method: "POST" as const, headers: { "content-type": "application/json" }, body }),
  });
  try {
    const answer: unknown = JSON.parse(reply.body.toString());
    if (reply.status === 200 && typeof answer === "object" && answer !== null) return answer;
  } catch {
    // Handled below like any other unusable response.
  }
  throw refusal(options, { code: reply.status, msg: "" });
}

function refusal({ WxPusherAppToken }: Options, { code, msg }: Answer): AppError {
  const detail = detailOf(typeof msg === "string" ? msg : "", [WxPusherAppToken]);
  return new AppError("upstream", "notifyRefused", { code: String(code), detail });
}

async function fetchPicture(url: string, options: Options): Promise<string> {
  // The picture may be on WxPusher's own host or on any public one.
  const isOwn = url.startsWith(`${options.WxPusherAddress}/`);
  const { status, headers, body } = await egressFetch(url, {
    trust: isOwn ? "operator" : "public",
    redirects: 3,
    maxBytes: PICTURE_MAX_BYTES,
  });
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (status !== 200 || !PICTURE_TYPES.has(type)) throw new AppError("upstream", "notifyPictureBad");
  return `data:${type};base64,${body.toString("base64")}`;
}
