import type { PromptBound } from "@/lib/billing/price";
import type { MeterUsage } from "@/lib/meters";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Answer } from "../../answers/answer";
import type { RequestBody } from "../../base/large-body";
import type { Secrets } from "../../base/secrets";
import type { Json } from "../../wire/canonical/json";
import type { HiddenContent } from "../../wire/dialects/common/hidden-content";
import type { UpstreamRow, UrlParts } from "../channel-type";
import type { PictureHolder } from "./inline-images";
import type { UpstreamOptions } from "./upstream-options";

/** What it takes to send a request. */
export type Sendable = {
  readonly model: string;
  readonly isStream: boolean;
  /** Encodes the request for a channel's upstream. Throws RelayError when no channel could serve it. */
  encode(target: EncodeTarget): Encoded | Promise<Encoded>;
  /**
   * An upstream that takes it works on, whoever waits: it is not asked twice at a time, not asked again where it may have
   * taken it, and answers are booked although the caller left. Absent = false.
   */
  readonly makesTask?: boolean;
  readonly need?: Need;
};

/** What a request can need at most. */
export type Need = {
  prompt: PromptBound;
  /**
   * What is counted in other units, whatever price the model has: pictures, seconds … A variant that is left out or short
   * is bound by the dearest that fits. Absent = nothing of the kind.
   */
  meters?: readonly MeterUsage[];
  /** What the body does not show of it; absent = nothing. */
  hidden?: HiddenContent;
  /** Per choice; null = the caller gave no limit. */
  completionTokensMax: number | null;
  choices: number;
  /** It asks the model to think before it answers. */
  asksToThink: boolean;
  /** Nobody follows its answer, so that all of it is reserved. */
  isBackground?: true;
  /** The answer cannot be had in part, so that all of it is reserved; absent = it can. */
  isWhole?: true;
};

/** The most tokens that an answer may have, because the reservation pays for no more. */
export type Cap = {
  perChoice: number;
  /** The model itself writes no more than this; a request without a limit of its own needs none then. */
  ofModel: number;
  /** Calls of tools that run at the upstream; absent = the request's own limit is paid for. */
  calls?: number;
};

export type EncodeTarget = {
  channel: SnapshotChannel;
  row: UpstreamRow;
  /** The upstream's name of the model. */
  model: string;
  /** Null = the reservation follows the answer. */
  cap: Cap | null;
  /** Send the body unchanged if upstream and client speak the same dialect. */
  isUntouched: boolean;
  options: UpstreamOptions;
  /** Absent = nothing is fetched for it, or not on a caller's account. */
  exchange?: PictureHolder | undefined;
};

/** Files that the upstream wants before the request. */
export type PendingUploads = {
  /** Under the channel's base URL. */
  path: string;
  /** As data URLs; see Uploads. */
  files: readonly string[];
  /** The fields of the form beside the file. */
  form: Readonly<Record<string, string>>;
  /** Null = not the answer to an upload. */
  readId(answer: Json): string | null;
  /** The request's body with the ids of the files. */
  bodyWith(ids: ReadonlyMap<string, string>): Buffer;
};

/** Work that the upstream does after it has answered: the request is over when its result is there. */
export type PendingWork = {
  /** Null = not the answer to what it was asked to do. */
  readId(json: Json): string | null;
  /** Where its state is asked for with GET, in place of the request's path. */
  path(id: string): string;
  /** An unknown state is "running". */
  stateOf(json: Json): "made" | "failed" | "running";
};

export type Encoded = {
  /** Absent = POST. */
  method?: "GET" | "DELETE" | "POST";
  /** Absent = the answer is the result. */
  pending?: PendingWork;
  path: string;
  /** Takes the place of the row's. */
  url?: ((parts: UrlParts) => string) | undefined;
  /** Includes the question mark; "" = no query. */
  query: string;
  /** The upstream is asked for a stream; absent = if the caller is. */
  isStreamed?: boolean;
  /** The upstream cannot be told how long the answer may be. */
  hasNoLimit?: boolean;
  /** Alternating names and values of headers to add to the channel's own. */
  headers: readonly string[];
  /** Not used where files are uploaded before. */
  body: RequestBody;
  /** See Sent; absent = the body holds none. */
  pictureBytes?: number;
  /** Of the body; absent = JSON, null = there is no body. */
  contentType?: string | null;
  /** What is asked for; absent = JSON or an event stream. */
  accept?: string;
  uploads?: PendingUploads;
  /** Creates the reader of the response; called once per attempt, with the secrets that it sends. */
  openAnswer: (secrets: Secrets) => Answer;
};
