import { priceUsage } from "@/lib/billing/price";
import type { OtherOperation } from "@/lib/provider-catalogue";
import type { Form } from "../../http/forms/form";
import type { Json } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { storedAddressIn } from "../../wire/dialects/common/stored-address";
import { checkForm, readJson } from "../chat/read-json";
import type { Call, Operation } from "../operation";
import { refused } from "../operation";
import { jsonOfForm } from "./files/form-json";
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
  const submitted = (wire: TaskWire<Request>, json: Json, call: Call): TaskIntake => {
    try {
      const submission = wire.read(json, call);
      const storedAddress = storedAddressIn(json);
      return new TaskIntake({ wire: wire as TaskWire<unknown>, upstreams: byFormat, call, submission, storedAddress });
    } catch (error) {
      throw refused(error, call);
    }
  };
  const readForm = async (form: Form, call: Call): Promise<TaskIntake> => {
    const wire = wireAt(wires, call);
    if (!wire.takesForms) throw refused(new InvalidRequest("the body must be JSON, and not a form"), call);
    checkForm(form, call);
    const json = await jsonOfForm(form).catch((error: unknown) => {
      throw refused(error, call);
    });
    return submitted(wire, json, call);
  };
  return {
    id,
    endpoints: wires.flatMap(({ submissions, clientDialect }) =>
      submissions.map((place) => ({ ...place, clientDialect })),
    ),
    read: (body, call) => submitted(wireAt(wires, call), readJson(body, call).json, call),
    ...(wires.some(({ takesForms }) => takesForms) ? { readForm } : {}),
    charge: priceUsage,
  };
}

function wireAt<Request>(wires: readonly TaskWire<Request>[], { path: asked }: Pick<Call, "path">): TaskWire<Request> {
  const wire = wires.find(({ submissions }) =>
    submissions.some(({ path }) => (typeof path === "string" ? path === asked : path.test(asked))),
  );
  if (!wire) throw new Error(`no wire has the path ${asked}`);
  return wire;
}
