import { AppError } from "@/lib/errors";
import type { OptionValues } from "@/lib/option/registry";
import { askProvider, stableId } from "./ask-provider";
import { answerUnusable, notConfigured } from "./refusals";
import { serverOf } from "./servers";
import type { OutsideIdentity } from "./types";

const CODE_LENGTH_MAX = 64;

/**
 * The identity for a code that the user got from the WeChat account (contract §9.4): GET
 * {WeChatServerAddress}/api/wechat/user?code=. The WeChat server keeps codes for three minutes. Throws "invalid" for an
 * unknown code.
 */
export async function identifyByWechatCode(options: OptionValues, code: string): Promise<OutsideIdentity> {
  const trimmed = code.trim();
  if (trimmed === "") throw new AppError("invalid", "wechatCodeMissing", { field: "code" });
  if (trimmed.length > CODE_LENGTH_MAX) throw new AppError("invalid", "wechatCodeWrong", { field: "code" });
  const { WeChatServerAddress: server, WeChatServerToken: token } = options;
  if (server === "") throw notConfigured("wechat");
  const url = `${server}/api/wechat/user?${new URLSearchParams({ code: trimmed })}`;
  const { status, json } = await askProvider("wechat", url, { headers: { authorization: token } });
  if (status === 401 || status === 403) throw answerUnusable("wechat");
  // The server's own message may be in any language; this one tells the user what to do.
  if (status !== 200 || json.success !== true) throw new AppError("invalid", "wechatCodeWrong", { field: "code" });
  const id = stableId(json.data);
  if (id === null) throw new AppError("invalid", "wechatCodeWrong", { field: "code" });
  return { provider: "wechat", id, issuer: serverOf(options, "wechat"), displayName: "", preferredUsername: null };
}
