/** Contract §1.5: a fixed time, as in the product this API is compatible with. */
const CREATED = 1_626_777_600;

/** A model in OpenAI's format. */
export function toWireModel(id: string) {
  return { id, object: "model", created: CREATED, owned_by: "weir", permission: [], root: id, parent: null };
}
