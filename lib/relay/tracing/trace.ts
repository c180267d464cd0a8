import type { Endpoint } from "../endpoints";
import type { Exchange } from "../exchange";
import type { RequestTrace } from "./request-trace";

export type Protocol = "http/protobuf" | "http/json";

export type Tracing = {
  begin(exchange: Exchange, endpoint: Endpoint): RequestTrace;
  /** Spans that were not delivered, because the collector was away or too slow. */
  dropped(): number;
  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void>;
};
