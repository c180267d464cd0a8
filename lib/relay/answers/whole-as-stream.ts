import type { Frame } from "../wire/canonical/machine";
import { responseEvents } from "../wire/canonical/response-events";
import { dialects } from "../wire/dialects";
import { parseJsonObject } from "../wire/dialects/common/json-text";
import type { ClientDialect } from "../wire/dialects/dialect";
import { renderEvents } from "./server-sent-events";

/**
 * A whole answer of the caller's dialect as a stream, for a caller whose stream has begun while the upstream worked.
 * Null = the answer cannot be read.
 */
export function wholeAsStream(body: Buffer, clientDialect: ClientDialect, requestId: string): Buffer | null {
  const json = parseJsonObject(body.toString("utf8"));
  const response = json && dialects.get(clientDialect.dialect)?.upstream.decode(json);
  if (!response) return null;
  const createdAt = Math.floor(Date.now() / 1_000);
  const renderer = clientDialect.streamRenderer({ requestId, model: response.model, wantsUsage: false, createdAt });
  const frames: Frame[] = responseEvents(response).flatMap((event) => [...renderer.step(event)]);
  return renderEvents([...frames, ...renderer.end(true)]);
}
