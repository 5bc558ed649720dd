// Package fetch downloads files, unpacks them, and verifies later that they have not
// changed. It knows nothing of datasets.
//
// # Where to begin
//
// [Get] downloads and unpacks a list of [File]. [NewReceipt] makes a [Receipt] of its
// results, which lists all files with sizes and SHA-256 digests. [Verify] reads the
// files of a receipt again and lists the differences.
//
// # Fetching
//
// A file is downloaded to PATH.part, and gets its name once it is complete, checked
// and on the disk. An interrupted download resumes where it stopped, in the same call
// or in a later one: PATH.part.json has what the server said of the content, and
// content that has changed since is downloaded from its start. PATH.lock makes a
// second process wait; the kernel releases the lock when its holder ends. On a file
// system without locks two processes download the same bytes twice.
//
// # Unpacking
//
// The content of an archive tells its kind: zip, tar, gzip or bzip2, the latter two of
// a tar or of a single file. It is unpacked under a temporary name. If the target does
// not exist, the whole folder is renamed; else the files are moved into it one by one
// and replace those of the same name. Archives in archives stay as they are.
//
// Get refuses the whole archive if any name in it is absolute or has "..", a
// backslash, a drive letter or a control character; if it holds a symbolic or hard
// link, a device, or a name twice; or if it exceeds [Limits]. It writes through an
// [os.Root], so that no link that someone else makes meanwhile leads out of the
// folder. It ignores modes in archives: files get 0644 and folders 0755, less the
// umask.
//
// # Errors
//
// Errors that the user can correct are an [*Error]. The error of an interruption wraps
// the context's.
package fetch
