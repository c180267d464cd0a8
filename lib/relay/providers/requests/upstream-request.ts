import type { RequestBody } from "../../base/large-body";
import type { Secrets } from "../../base/secrets";
import type { Credentials } from "../channel-type";
import type { Encoded } from "./sendable";

/** A request ready to be sent to an upstream. */
export type UpstreamRequest = {
  origin: string;
  path: string;
  headers: string[];
  body: RequestBody;
  /** See Encoded. */
  pictureBytes?: number | undefined;
  /** Absent = POST. */
  method?: Encoded["method"] | undefined;
  /** The upstream's name of the model. */
  model: string;
  openAnswer: Encoded["openAnswer"];
  /** See Encoded. */
  hasNoLimit: boolean;
  /** What the upstream's words must be freed of. */
  secrets: Secrets;
  /** See Credentials. */
  onRefused: Credentials["onRefused"];
};
