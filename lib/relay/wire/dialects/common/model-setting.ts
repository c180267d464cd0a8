/** A setting by model, as an operator writes it; the entry `default` holds for all models without one. */
export type ByModel<Value> = Readonly<Record<string, Value>>;

/** What makes a name that of one release of a model: a date, a number, or "latest". */
const RELEASE = /[-@](?:latest|\d{3}|\d{8}|\d{4}-\d{2}-\d{2})$/;

/** The setting of a model: by its name, by its name without the release, or the default. Undefined = none. */
export function settingOf<Value>(settings: ByModel<Value>, model: string): Value | undefined {
  if (Object.hasOwn(settings, model)) return settings[model];
  const plain = model.replace(RELEASE, "");
  if (Object.hasOwn(settings, plain)) return settings[plain];
  return Object.hasOwn(settings, "default") ? settings.default : undefined;
}
