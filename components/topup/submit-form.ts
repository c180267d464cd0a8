/** Safari treats a form submitted to a new tab without a click as an unwanted pop-up. */
function isSafari(): boolean {
  const { userAgent } = navigator;
  return userAgent.includes("Safari") && !/Chrom|Edg|Android/.test(userAgent);
}

/** Posts the fields to another site with a hidden form, in a new tab except in Safari (B249). */
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
