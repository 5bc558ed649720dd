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
// A file is downloaded to PATH.part, and renamed to PATH once it is complete, checked
// and on disk. An interrupted download resumes where it stopped, in the same call or
// in a later one. PATH.part.json records what the server said about the content; if
// the content has changed since, the download starts again. PATH.lock makes a second
// process wait; the kernel releases the lock when its holder ends. On a file system
// without locks two processes download the same bytes twice.
//
// # Unpacking
//
// Get recognises an archive by its content: zip, tar, or a tar or single file that is
// compressed with gzip or bzip2. It unpacks under a temporary name. If the target does
// not exist, it renames the whole folder; else it moves the files into the target one
// by one, where they replace files of the same name. Archives in archives stay packed.
//
// Get refuses the whole archive if any name in it is absolute or has "..", a
// backslash, a drive letter or a control character; if it holds a symbolic or hard
// link, a device, or a name twice; or if it exceeds [Limits]. It writes through an
// [os.Root], so that no link that someone else makes meanwhile leads out of the
// folder. It ignores modes in archives: files get 0644 and folders 0755, minus the
// umask.
//
// # Errors
//
// An error that the user can correct is an [*Error]. The error of an interruption wraps
// the context's error.
package fetch
