import type { Snapshot } from "@/lib/snapshot/store";
import { RelayError } from "../relay-error";
import type { Caller } from "../stages/authenticate";
import { effectiveGroup } from "../stages/route";

/** The models that the caller may use, in OpenAI's list format. */
export function listModels(caller: Caller, snapshot: Snapshot): object {
  return { success: true, object: "list", data: modelsOf(caller, snapshot).map(modelRow) };
}

/** One of these models. Throws 404 when it is not among them. */
export function findModel(path: string, caller: Caller, snapshot: Snapshot): object {
  let name = path.slice("/v1/models/".length);
  try {
    name = decodeURIComponent(name);
  } catch {
    // Invalid escapes: use the name as sent.
  }
  if (modelsOf(caller, snapshot).includes(name)) return modelRow(name);
  const message = `The model '${name}' does not exist`;
  throw new RelayError(404, message, { type: "invalid_request_error", param: "model", code: "model_not_found" });
}

/** With model limits, exactly the token's models; otherwise those of the group's enabled channels. */
function modelsOf(caller: Caller, snapshot: Snapshot): string[] {
  const { token } = caller;
  if (token.modelLimitsEnabled) return [...token.models].sort();
  const models = snapshot.abilities.get(effectiveGroup(caller, snapshot));
  return models ? [...models.keys()].sort() : [];
}

function modelRow(id: string): object {
  return { id, object: "model", created: 1_626_777_600, owned_by: "custom", permission: [], root: id, parent: null };
}
