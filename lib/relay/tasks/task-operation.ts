import { priceUsage } from "@/lib/billing/price";
import { readJson } from "../operations/chat/read-json";
import { refused } from "../operations/chat/refused";
import type { Operation } from "../operations/operation";
import type { OtherOperation } from "../upstreams/channel-type";
import type { TaskUpstream, TaskWire } from "./platform";
import { TaskIntake } from "./task-intake";

/**
 * An operation whose upstreams take tasks. All wires and upstreams of one operation have the same type of request, so that
 * each wire's submissions can go to each upstream.
 */
export function taskOperation<Request>(
  id: OtherOperation,
  wires: readonly TaskWire<Request>[],
  upstreams: readonly TaskUpstream<Request>[],
): Operation {
  const byFormat = new Map(upstreams.map((upstream) => [upstream.id, upstream as TaskUpstream<unknown>]));
  return {
    id,
    endpoints: wires.flatMap(({ submissions, caller }) => submissions.map((place) => ({ ...place, caller }))),
    read(body, call) {
      const wire = wires.find(({ submissions }) =>
        submissions.some(({ path }) => (typeof path === "string" ? path === call.path : path.test(call.path))),
      );
      if (!wire) throw new Error(`no wire has the path ${call.path}`);
      const json = readJson(body, call);
      try {
        const submission = wire.read(json, call);
        return new TaskIntake({ wire: wire as TaskWire<unknown>, upstreams: byFormat, call, submission });
      } catch (error) {
        throw refused(error, call);
      }
    },
    charge: priceUsage,
  };
}
