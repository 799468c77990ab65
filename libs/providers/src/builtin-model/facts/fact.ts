/** Something that a table or a catalogue tells of a thing: a column with its unit, or a field of an entry. */
export interface Attribute {
  /** In the words of the business: `Price`, `Rent per month`, `Stock`. */
  readonly name: string;
  readonly value: string;
  /** What stands behind the number, from the cell or from the head of its column: `INR`, `months`, `sq ft`. */
  readonly unit: string;
}

/** A thing with attributes: an entry of the catalogue or a row of a table. */
export interface Item {
  readonly kind: 'entry' | 'row';
  /** What it is called: `Radiator (John Deere 5310)`. */
  readonly name: string;
  /** What kind of thing it is, where it stands: its category, its sheet, the heading over its table. */
  readonly category: string;
  readonly description: string;
  readonly attributes: readonly Attribute[];
}

/** A sentence with what it stands among. */
export interface Statement {
  readonly text: string;
  /** The headings over it, or the question that it answers. */
  readonly heading: string;
  readonly before: string;
  readonly after: string;
  /** It answers a stored question and is said whole. */
  readonly isStored: boolean;
}

/** How to reach the business, by the names that the profile gives them. */
export type Contact = Readonly<Record<'Name' | 'Kind' | 'About' | 'Telephone' | 'E-mail' | 'Website' | 'Address', string>>;

/** A knowledge base read into what can be computed with and what can only be quoted. */
export interface Facts {
  readonly contact: Contact;
  readonly items: readonly Item[];
  readonly statements: readonly Statement[];
}
