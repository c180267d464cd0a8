import { getTranslations } from "next-intl/server";

type FooterProps = { html: string; systemName: string };

/** Loads what cleans HTML, which few footers need. */
async function cleaned(html: string): Promise<string> {
  const { cleanHtml } = await import("./clean-html");
  return cleanHtml(html);
}

/** The operator's sanitised HTML, confined to the footer, or a default line (B125). */
export async function Footer({ html, systemName }: FooterProps) {
  const t = await getTranslations("shell");
  const clean = html.trim() === "" ? "" : await cleaned(html);
  return (
    <footer dir="auto" className="border-t px-4 py-4 text-center text-muted-foreground text-xs [&_a]:underline">
      {clean === "" ? (
        t("footer", { name: systemName })
      ) : (
        <div
          className="overflow-hidden [contain:content]"
          // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised above, on the server
          dangerouslySetInnerHTML={{ __html: clean }}
        />
      )}
    </footer>
  );
}
