import type { Route } from "next";

/** Link to the page of a subject such as "channel:7"; null if it has none. `settings` maps an option to the address of its field. */
export function subjectHref(subject: string, settings: Readonly<Record<string, string>>): Route | null {
  const [kind = "", ...rest] = subject.split(":");
  const name = rest.join(":");
  if ((kind === "channel" || kind === "user") && /^\d{1,10}$/.test(name)) return `/${kind}/${name}` as Route;
  if (kind === "tag" && name !== "") {
    return `/channel?${new URLSearchParams({ tags: "true", tag: JSON.stringify([name]) })}` as Route;
  }
  return kind === "option" && Object.hasOwn(settings, name) ? (settings[name] as Route) : null;
}
