import type { OptionValues } from "@/lib/option/registry";
import { type Opened, StoredAnswer, type StoredForm } from "../../answers/stored-answer";
import { classifyFailure } from "../../base/classify-failure";
import type { RequestBody } from "../../base/large-body";
import { passedOn } from "../../base/relay-error";
import { passOnce } from "../../http/attempt/ask-once";
import { timeLimitsOf } from "../../http/attempt/time-limits";
import type { Exchange } from "../../http/exchange";
import type { Pools } from "../../net/pools";
import type { Encoded, EncodeTarget } from "../../operations/operation";
import { readFailure } from "../../pipeline/attempt-failures";
import type { Question } from "../../providers/requests/prepare-request";
import { rows } from "../../providers/rows";
import type { Account } from "./account";

/** `query`: with the question mark; "" = none. `form`: what is wanted. */
export type AccountRequest = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query: string;
  form: StoredForm;
  body?: RequestBody;
  contentType?: string;
};

export type AccountNeeds = { pools: Pools; options: OptionValues };

/** How it ended. Null = nothing more is to be sent: the caller has its error, or has left. */
export type AccountEnd = StoredAnswer | "cut" | null;

const NOTHING = Buffer.alloc(0);

/** Asks the account, and passes on what is streamed. Nobody else has the object, so that no other is asked. */
export async function askAccount(
  { pools, options }: AccountNeeds,
  exchange: Exchange,
  account: Account,
  asked: AccountRequest,
  opened: Opened = { answer: null },
): Promise<AccountEnd> {
  const end = await passOnce(questionFor(account, options, asked, opened), {
    pools,
    exchange,
    isStream: asked.form !== "json",
    outlivesCaller: asked.method !== "GET",
    limits: timeLimitsOf(options, "", account.channel.setting.timeLimits),
  });
  switch (end.kind) {
    case "answered":
      return opened.answer;
    case "cut":
      return "cut";
    case "refused":
    case "unreachable":
      return refuse(exchange, account, readFailure(end));
    default:
      return null;
  }
}

/** What an account is asked about what it keeps. `opened` gets the answer of each attempt. */
export function questionFor(
  { channel, key }: Account,
  options: OptionValues,
  { method, path, query, form, body = NOTHING, contentType }: AccountRequest,
  opened?: Opened,
): Question {
  const encode = ({ row }: EncodeTarget): Encoded => ({
    method,
    path,
    // Given here, because addresses are remembered by path, and every object has its own.
    url: row.storedUrl ?? row.url,
    query,
    headers: [],
    body,
    ...(contentType === undefined ? {} : { contentType }),
    ...(form === "bytes" ? { accept: "*/*" } : {}),
    openAnswer: (secrets) => {
      const answer = new StoredAnswer(form, secrets);
      if (opened) opened.answer = answer;
      return answer;
    },
  });
  const sendable = { model: "", isStream: form === "events", encode };
  return { sendable, channel, key, terms: { passThrough: true, cap: null, options } };
}

function refuse(exchange: Exchange, { channel }: Account, failure: Parameters<typeof classifyFailure>[0]): null {
  const { reply, retryAfterMs } = classifyFailure(failure, {
    quirks: rows.get(channel.type)?.quirks ?? {},
    statusCodeMapping: channel.statusCodeMapping,
    mayDisable: false,
    disableKeywords: [],
  });
  exchange.refuse(passedOn(reply, retryAfterMs));
  return null;
}
