import { useTranslations } from "next-intl";
import { cleanHtml } from "./clean-html";

type FooterProps = { html: string; systemName: string };

/** The operator's sanitised HTML, confined to the footer, or a default line (B125). */
export function Footer({ html, systemName }: FooterProps) {
  const t = useTranslations("shell");
  const clean = html.trim() === "" ? "" : cleanHtml(html);
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
