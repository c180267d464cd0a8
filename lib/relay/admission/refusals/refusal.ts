import { NO_QUOTA } from "@/lib/billing/quota";
import { NO_COST, NO_USAGE, type Settlement } from "@/lib/billing/types";
import { LOG_TYPE } from "@/lib/row-status";
import type { Snapshot } from "@/lib/snapshot/store";
import { cleanText } from "../../base/upstream-error";
import type { Exchange } from "../../http/exchange";
import { isOffered, NO_CHANNEL, UNKNOWN_MODEL } from "../../routing/route";
import { codeOf, type WireError } from "../../wire/canonical/wire-error";
import type { Caller } from "../authenticate";

/** A request that was refused, without anything that keeps its connection or body in memory. */
export type Refusal = {
  caller: Caller;
  requestId: string;
  /** Unix seconds. */
  createdAt: number;
  status: number;
  error: WireError;
  model: string;
  path: string;
  clientIp: string;
  elapsedMs: number;
};

const NOBODY: ReadonlySet<string> = new Set([NO_CHANNEL, UNKNOWN_MODEL]);
const PATH_MAX = 120;
const MODEL_MAX = 200;

export function refusalOf(
  exchange: Exchange,
  caller: Caller,
  { status, wire }: { status: number; wire: WireError },
): Refusal {
  const { url = "" } = exchange.request;
  const mark = url.indexOf("?");
  return {
    caller,
    requestId: exchange.id,
    createdAt: Math.floor(Date.now() / 1_000),
    status,
    error: wire,
    model: exchange.model.slice(0, MODEL_MAX),
    path: url.slice(0, mark === -1 ? PATH_MAX : Math.min(mark, PATH_MAX)),
    clientIp: exchange.clientIp,
    elapsedMs: exchange.elapsedMs(),
  };
}

/** Its row of the log: free, and of no channel. `repeats`: further requests that it stands for. */
export function refusalRow(refusal: Refusal, repeats: number, snapshot: Snapshot): Settlement {
  const { caller, status, error, model, path } = refusal;
  const { token, user } = caller;
  const isKnown = isModelKnown(model, snapshot);
  const asked = hideKeys(cleanText(model));
  return {
    requestId: refusal.requestId,
    createdAt: refusal.createdAt,
    type: LOG_TYPE.error,
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    channelId: 0,
    modelName: isKnown ? model : "",
    group: token.group || user.group,
    usage: NO_USAGE,
    quota: NO_QUOTA,
    cost: NO_COST,
    useTimeMs: refusal.elapsedMs,
    firstTokenMs: null,
    isStream: false,
    reservation: null,
    content: hideKeys(cleanText(error.message)),
    failure: { status, code: hideKeys(codeOf(error)), repeats },
    other: {
      status_code: status,
      outcome: "refused",
      path: hideKeys(cleanText(path)),
      ...(isKnown || asked === "" ? {} : { requested_model: asked }),
      ...(isKnown && NOBODY.has(codeOf(error)) && !isOffered(model, token.group || user.group, snapshot)
        ? { not_offered: true }
        : {}),
    },
    clientIp: refusal.clientIp,
    hidden: false,
  };
}

/** The log's list of models must not grow with whatever callers make up. */
function isModelKnown(model: string, { abilities }: Snapshot): boolean {
  if (model === "") return false;
  for (const models of abilities.values()) if (models.has(model)) return true;
  return false;
}

/** What looks like a key of this gateway, or of a provider. Callers paste them into fields that errors quote. */
const KEYS = /\b(sk|pk|rk|AIza|ghp|github_pat|xox[a-z]|eyJ|gsk|AKIA|Bearer)([-_ ]?)[A-Za-z0-9._/+=-]{16,}/g;

/** The text with the beginnings of keys only. */
function hideKeys(text: string): string {
  return text.replace(KEYS, "$1$2***");
}
