import type { Route } from "next";

/** Link to the page of a subject such as "channel:7"; null if it has none. `tabs` maps an option to its settings tab. */
export function subjectHref(subject: string, tabs: Readonly<Record<string, string>>): Route | null {
  const [kind = "", ...rest] = subject.split(":");
  const name = rest.join(":");
  if ((kind === "channel" || kind === "user") && /^\d{1,10}$/.test(name)) return `/${kind}/${name}` as Route;
  if (kind === "tag" && name !== "") {
    return `/channel?${new URLSearchParams({ tags: "true", tag: JSON.stringify([name]) })}` as Route;
  }
  const tab = kind === "option" ? tabs[name] : undefined;
  return tab === undefined ? null : (`/setting?tab=${tab}#${encodeURIComponent(name)}` as Route);
}
