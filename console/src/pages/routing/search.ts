/** How a draft is written: as a form, or as JSON. */
export interface EditorSearch {
  readonly view?: 'json';
}

/** The page of what has versions. */
export interface VersionedSearch extends EditorSearch {
  readonly tab?: string;
  /** The version that is in the editor; none: the present one. */
  readonly version?: number;
  /** The versions that are compared. */
  readonly from?: number;
  readonly to?: number;
}

/** Whom the message names and whose it is. What it says does not belong into an address. */
export interface DryRunSearch {
  readonly agent?: string;
  readonly skill?: string;
  readonly tags?: string;
  readonly organization?: string;
}
