import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import type { OptionValues } from "@/lib/option/registry";
import { checkEgressUrl, type EgressOptions, type EgressReply, egressFetch } from "./index";

/** A service of the operator's that makes requests in this server's place, so that its address stays unknown. */
export type Worker = { address: string; key: string };

/** Null = none is set. */
export function workerOf(options: Pick<OptionValues, "WorkerUrl" | "WorkerValidKey">): Worker | null {
  const { WorkerUrl: address, WorkerValidKey: key } = options;
  return address === "" ? null : { address, key };
}

/**
 * Like `egressFetch`, through the worker where there is one: it is told URL, method, headers and body (contract §3.2), and
 * its answer is that of the URL. It resolves names by itself; addresses that are forbidden here are not given to it, and
 * redirects are its own affair. When it fails, nobody else is asked.
 */
export async function fetchVia(worker: Worker | null, url: string, options: EgressOptions = {}): Promise<EgressReply> {
  if (!worker) return egressFetch(url, options);
  const { method = "GET", headers = {}, body, trust, redirects: _, ...limits } = options;
  const target = checkEgressUrl(url, trust, limits.allowed).href;
  const asked = { url: target, key: worker.key, method, headers, body: body?.toString() };
  try {
    return await egressFetch(worker.address, {
      ...limits,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(asked),
      trust: "operator",
    });
  } catch (error) {
    throw explain(error);
  }
}

/** The worker's address is not for those who cause a request. */
function explain(error: unknown): unknown {
  if (!(error instanceof AppError) || !("host" in error.params)) return error;
  logger.warn({ reason: error.messageKey, ...error.params }, "the proxy worker could not be used");
  return new AppError("upstream", "egressWorker", {}, error);
}
