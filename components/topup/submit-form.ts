/** Safari takes a form that is sent to a new tab without a click for an unwanted window. */
function isSafari(): boolean {
  const { userAgent } = navigator;
  return userAgent.includes("Safari") && !/Chrom|Edg|Android/.test(userAgent);
}

/** Posts these fields to another site as a form that nobody sees, in a new tab except in Safari (B249). */
export function submitForm(url: string, fields: Record<string, string>): void {
  const form = document.createElement("form");
  form.method = "POST";
  form.action = url;
  form.hidden = true;
  if (!isSafari()) {
    form.target = "_blank";
    form.rel = "noopener";
  }
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = name;
    input.value = value;
    form.append(input);
  }
  document.body.append(form);
  form.submit();
  form.remove();
}
