import type { Locator, Page } from "@playwright/test";

/** Second factors, passkeys and sessions in the personal settings. */
export class SecurityPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(): Promise<void> {
    await this.page.goto("/setting?tab=personal");
  }

  card(name: string): Locator {
    return this.page.getByRole("region", { name, exact: true });
  }

  get totp(): Locator {
    return this.card("Two-factor authentication");
  }

  get passkeys(): Locator {
    return this.card("Passkeys");
  }

  get sessions(): Locator {
    return this.card("Sessions").getByTestId("session");
  }

  get proof(): Locator {
    return this.page.getByRole("dialog", { name: "Confirm your identity" });
  }
}
