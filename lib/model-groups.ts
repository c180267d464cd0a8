import { isModelName } from "./model-fallbacks";

/** A name on the status page → the models that it stands for. */
export type ModelGroups = Readonly<Record<string, readonly string[]>>;

const GROUPS_MAX = 100;
const MODELS_MAX = 500;
const NAME_LENGTH_MAX = 100;

export function isModelGroups(value: unknown): value is ModelGroups {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const groups = Object.entries(value);
  return groups.length <= GROUPS_MAX && groups.every(([name, models]) => isGroupName(name) && isModelList(models));
}

const isGroupName = (name: string) => name.trim() !== "" && name.length <= NAME_LENGTH_MAX;

const isModelList = (models: unknown) =>
  Array.isArray(models) && models.length > 0 && models.length <= MODELS_MAX && models.every(isModelName);
