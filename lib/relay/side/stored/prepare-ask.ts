import type { OptionValues } from "@/lib/option/registry";
import { type Opened, StoredAnswer, type StoredForm } from "../../answers/stored-answer";
import type { RequestBody } from "../../base/large-body";
import type { Encoded } from "../../operations/operation";
import { prepareRequest } from "../../providers/requests/prepare-request";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import { rows } from "../../providers/rows";
import { ChannelSetupError } from "../../providers/setup-error";
import type { Account } from "./account";

/** `query`: with the question mark; "" = none. */
export type AccountAsk = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query: string;
  body?: RequestBody;
  contentType?: string;
};

const NOTHING = Buffer.alloc(0);

/** A request to an account about what it keeps. `opened` gets the answer of each attempt. Throws ChannelSetupError. */
export async function prepareAsk(
  options: OptionValues,
  { channel, key }: Account,
  { method, path, query, body = NOTHING, contentType }: AccountAsk,
  form: StoredForm = "json",
  opened?: Opened,
): Promise<UpstreamRequest> {
  const row = rows.get(channel.type);
  if (!row) throw new ChannelSetupError("the channel's type is not known", "invalid_api_type");
  const encode = (): Encoded => ({
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
  return prepareRequest(sendable, channel, key, { passThrough: true, cap: null, options });
}
